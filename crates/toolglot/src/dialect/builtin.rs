//! The list of the built-in dialects.

/// The quote tokens of these dialects: models leak them into the JSON of others, the first also with a bar lost.
pub(crate) const QUOTE_TOKENS: [&str; 4] = ["<|\"|>", "<escape>", "<ctrl46>", "<|\">"];

/// Embeds files of `dialects/`, each under its dialect's name.
macro_rules! embed {
    ($($name:literal)*) => { [$(($name, include_str!(concat!("../../dialects/", $name, ".toml")))),*] };
}

/// Every file of `dialects/`, the preferred first if two match the same text: originals before their variants, those that only
/// drift and prompts produce last.
pub(super) const FILES: [(&str, &str); 95] = embed! {
    "hermes" "ernie45" "longcat_json" "k2_horizon_json" "granite" "granite_20b_fc" "mistral_json" "llama3_json"
    "tool_calls_array" "hunyuan_a13b" "hyperclovax" "rwkv" "nemotron_deci" "internlm2" "gigachat3" "cohere_command"
    "command_r" "apertus" "xlam" "bare_json" "openai_json" "sarashina" "phi4_mini" "inkling" "deepseek_v3"
    "deepseek_v3_1" "kimi_k2" "mistral_v11" "harmony" "plamo3" "solar_open" "solar_open2" "functionary_v3"
    "functionary_v2" "glm4_9b" "functionary_v3_2" "qwen3_coder" "mimo" "seed_oss" "minimax_m2" "dots"
    "anthropic_invoke" "grok" "anthropic_legacy" "minicpm5" "step3" "deepseek_v3_2" "deepseek_v4" "deepseek_v4_1"
    "gigachat35" "muse_atem" "kimi_k3" "beam" "glm45" "glm47" "poolside_v1" "iquest_q1" "longcat" "hy_v3" "hy_v4"
    "k2_horizon" "minimax_m3" "pythonic" "llama4_pythonic" "olmo3" "lfm2" "minicpm3" "gemma4" "function_gemma"
    "gemini" "react" "structured_chat" "tool_use" "lm_studio" "qwen_agent" "chatglm3" "gorilla" "nexus_raven"
    "continue_line" "minimax_tool_call" "cwm" "bfcl_xml" "mirothinker" "zaya1" "smollm3_code" "composer" "glaive"
    "pangu" "step_audio2" "nemotron_mini" "calling_tool" "prompted_xml" "cline" "use_tool" "qwen25_drift"
};
