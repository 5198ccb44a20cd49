var e={anthropic_invoke:`# Claude and what imitates it. In long sessions of coding agents the namespace and the wrapper get lost, and a stray
# word takes their place (claude-code#66153, #64700, #69529); other models use wrappers of their own.
about = "Anthropic's text format: invoke and parameter tags in a function_calls section, with or without a namespace."
aliases = ["anthropic", "claude", "claude_xml", "antml"]
models = ["claude-*"]
reasoning = "<thinking>{text}{thought}"
section = ["{stray}<{ns}function_calls>\\n{calls}\\n</{ns}function_calls>", "<{wrap}>\\n{calls}\\n</{wrap}>"]
call = [
    "{stray}<{ns}invoke name=\\"{name}\\">\\n{params}</{ns}invoke>",
    "<{ns}invoke name=\\"{name}\\">\\n{arguments}</{ns}invoke>",
    "<{ns}invoke name=\\"{name}\\"/>",
]
param = "<{ns}parameter name=\\"{key}\\">{value}</{ns}parameter>\\n"
[words]
ns = ["", "antml:", "tml:", "atem:"]
stray = ["", "court\\n", "count\\n", "call\\n"]
wrap = ["tool_calls", "tool_call"]
thought = ["</thinking>", "</think>"]
`,anthropic_legacy:`# The prompt format of Claude 2 before tools were part of the interface.
about = "Claude 2: the tool's name and its parameters as elements of an invoke tag."
aliases = ["claude2"]
models = ["claude-2*", "claude-instant*"]
section = "<function_calls>\\n{calls}\\n</function_calls>"
call = "<invoke>\\n<tool_name>{name}</tool_name>\\n<parameters>\\n{params}</parameters>\\n</invoke>"
param = "<{key}>{tree}</{key}>\\n"
`,apertus:`# vLLM apertus; SGLang apertus2509, which takes calls out of the thinking and goes on with it.
about = "Apertus: an array of objects whose only key is the tool's name."
aliases = ["apertus2509"]
models = ["Apertus-*-2509"]
special = ["<|inner_prefix|>", "<|inner_suffix|>", "<|tools_prefix|>", "<|tools_suffix|>"]
reasoning = "<|inner_prefix|>{text:calls}<|inner_suffix|>"
turn_end = ["</s>", "<|assistant_end|>"]
section = "<|tools_prefix|>[{calls}]<|tools_suffix|>"
call = "{{\\"{name}\\": {arguments}}}"
join = ", "
`,bare_json:`# SGLang JsonArrayParser, tool-parser json, dynamo bare_json_mode: what guided decoding leaves.
about = "Bare JSON, as guided decoding makes it when a call is required: an array of calls, or one."
aliases = ["json", "JsonArrayParser", "bare_json_mode"]
reasoning = "<think>{text}</think>"
section = ["[{calls}]", "{calls}"]
call = "{call}"
join = ", "
json = { arguments = ["parameters", "arguments"] }
`,beam:`# vLLM, SGLang and dynamo beam.
about = "Beam: headers like gpt-oss, the name as recipient, rfl tags for parameters."
models = ["Beam*"]
special = ["<|start|>", "<|channel|>", "<|constrain|>", "<|message|>", "<|end|>", "<|call|>", "<|return|>"]
reasoning = "<|channel|>analysis<|message|>{text:opaque}{end}"
content = "<|channel|>final<|message|>{text:opaque}{end}"
skip = "<|start|>assistant"
call = [
    "<|start|>assistant to={name}<|channel|>analysis <|constrain|>xml<|message|>\\n{params}{call_end}",
    "to={name}<|channel|>analysis <|constrain|>xml<|message|>\\n{params}{call_end}",
]
param = "<rfl:parameter name=\\"{key}\\">\\n{value}\\n</rfl:parameter>\\n"
join = ""
words = { end = ["<|end|>", "<|return|>"], call_end = ["<|call|>", "<|end|>", "<|return|>"] }
`,bfcl_xml:`# The XML formats that BFCL's format sensitivity prompts ask for (gorilla, bfcl_eval), concise and verbose; the verbose
# one names a type behind the value, in words of Python, Java and JavaScript.
about = "BFCL's prompted XML: function elements whose parameters are elements or attributes."
call = [
    "<function name=\\"{name}\\">{params}</function>",
    "<function name=\\"{name}\\"><params>{params}</params></function>",
    "<{name}>{params}</{name}>",
    "<function name=\\"{name}\\" params=\\"{params}\\"</function>",
    "<functions>{name}\\n{params}</functions>",
]
section = ["<functions>{calls}</functions>", "<TOOLCALL><functions>{calls}</functions></TOOLCALL>"]
param = ["<param name=\\"{key}\\">{value}</param>", "<param name=\\"{key}\\" value=\\"{value}{end}"]
join = ""
[words]
end = [
    "\\"/>", "\\" type=\\"string\\"/>", "\\" type=\\"integer\\"/>", "\\" type=\\"float\\"/>", "\\" type=\\"number\\"/>",
    "\\" type=\\"boolean\\"/>", "\\" type=\\"array\\"/>", "\\" type=\\"list\\"/>", "\\" type=\\"dict\\"/>", "\\" type=\\"object\\"/>",
    "\\" type=\\"tuple\\"/>", "\\" type=\\"any\\"/>", "\\" type=\\"int\\"/>", "\\" type=\\"str\\"/>", "\\" type=\\"bool\\"/>",
    "\\" type=\\"String\\"/>", "\\" type=\\"Array\\"/>", "\\" type=\\"Boolean\\"/>", "\\" type=\\"double\\"/>", "\\" type=\\"long\\"/>",
]
`,chatglm3:`# ChatGLM3's chat format; the code interpreter's blocks name no tool and stay text.
about = "ChatGLM3: the tool's name on a line of its own, then a fenced Python call of tool_call."
aliases = ["chatglm"]
models = ["chatglm3*"]
section = "{calls}"
call = "{name}\\n\`\`\`python\\ntool_call({kwargs})\\n\`\`\`"
`,cline:`# Cline, Roo Code; twinkle ClineParser.
about = "Cline and Roo Code: a tag named after the tool, a tag named after each parameter, on lines of their own."
aliases = ["roo", "roo_code", "ClineParser"]
call = ["<{name}>\\n{params}</{name}>", "<tool_call>\\n<{name}>\\n{params}</{name}>\\n</tool_call>"]
param = "<{key}>{tree:trim,cdata}</{key}>\\n"
`,cohere_command:`# vLLM cohere_command3, cohere_command4; SGLang cohere_command4; Ollama cohere.
about = "Command R7B and Command A: a JSON array of actions with ids, answers and plans in wrappers."
aliases = ["cohere", "cohere_command3", "cohere_command4"]
models = ["c4ai-command-*", "command-*"]
special = [
    "<|START_THINKING|>", "<|END_THINKING|>", "<|START_RESPONSE|>", "<|END_RESPONSE|>",
    "<|START_TEXT|>", "<|END_TEXT|>", "<|START_ACTION|>", "<|END_ACTION|>",
]
reasoning = "<|START_THINKING|>{text}<|END_THINKING|>"
content = ["<|START_RESPONSE|>{text}<|END_RESPONSE|>", "<|START_TEXT|>{text}<|END_TEXT|>"]
turn_end = "<|END_OF_TURN_TOKEN|>"
section = ["<|START_ACTION|>[\\n    {calls}\\n]<|END_ACTION|>", "<|START_ACTION|>{calls}<|END_ACTION|>"]
call = "{call}"
join = ",\\n    "
json = { name = ["tool_name"], arguments = ["parameters"], id = ["tool_call_id"] }
`,command_r:`# The first Command R models; the action "directly-answer" is no tool and stays text.
about = "Command R: the word Action and a fenced JSON array of actions without ids."
aliases = ["cohere_command_r"]
models = ["c4ai-command-r-v01*", "c4ai-command-r-plus*", "command-r", "command-r-plus"]
turn_end = "<|END_OF_TURN_TOKEN|>"
section = "Action: \`\`\`json\\n[\\n    {calls}\\n]\\n\`\`\`"
call = "{call}"
join = ",\\n    "
json = { name = ["tool_name"], arguments = ["parameters"] }
`,continue_line:`# The system prompt of Continue for models without native tools.
about = "Continue's line format: a fenced block with the tool's name and its arguments between BEGIN_ARG and END_ARG."
aliases = ["continue"]
strong = "TOOL_NAME:"
call = "\`\`\`tool\\nTOOL_NAME: {name}\\n{params}\`\`\`"
param = "BEGIN_ARG: {key}\\n{value}\\nEND_ARG\\n"
`,cwm:`# The prompting guide in facebookresearch/cwm: a tool's content is whatever its prompt says, most often one command.
# vLLM cwm reads JSON too, and the tool's name as the content's first word.
about = "Code World Model: a tool tag with the name, JSON or the one argument as it stands."
models = ["cwm-*"]
reasoning = "<think>{text}</think>"
turn_end = ["<|eot_id|>", "<|end_of_text|>"]
call = [
    "<tool: {name}>\\n{arguments}\\n</tool>",
    "<tool: {name}>\\n{content}\\n</tool>",
    "<tool: function>\\n{name}\\n{arguments}\\n</tool>",
    "<tool: function>\\n{name}\\n{content}\\n</tool>",
]
`,deepseek_v3:`# vLLM deepseek_v3; SGLang deepseekv3; tool-parser deepseek; Ollama cogito. R1 distills drift to ASCII bars and blanks.
about = "DeepSeek V3 and R1: the word function, the name and fenced JSON between special tokens."
aliases = ["deepseek", "deepseekv3", "deepseek_r1", "cogito"]
models = ["DeepSeek-V3", "DeepSeek-V3-0324", "DeepSeek-R1*"]
special = ["<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>", "<｜tool▁call▁begin｜>", "<｜tool▁sep｜>", "<｜tool▁call▁end｜>"]
reasoning = "<think>{text}</think>"
turn_end = "<|end▁of▁sentence|>"
section = "<{b}tool{s}calls{s}begin{b}>{calls}<{b}tool{s}calls{s}end{b}>"
call = [
    "<{b}tool{s}call{s}begin{b}>function<{b}tool{s}sep{b}>{name}\\n\`\`\`json\\n{arguments}\\n\`\`\`<{b}tool{s}call{s}end{b}>",
    "<{b}tool{s}call{s}begin{b}>function<{b}tool{s}sep{b}>{name}\\n{arguments}<{b}tool{s}call{s}end{b}>",
]
skip = "<｜end▁of▁sentence｜>"
words = { b = ["｜", "|", "‖", "｜｜", "||"], s = ["▁", " ", "_"] }
`,deepseek_v3_1:`# vLLM deepseek_v31; SGLang deepseekv31; tool-parser deepseek31; Ollama deepseek3.
about = "DeepSeek V3.1: the name, a separator and raw JSON between special tokens."
aliases = ["deepseek_v31", "deepseekv31", "deepseek31", "deepseek3"]
models = ["DeepSeek-V3.1*", "DeepSeek-V3.2-Exp*"]
special = ["<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>", "<｜tool▁call▁begin｜>", "<｜tool▁sep｜>", "<｜tool▁call▁end｜>", "<think>", "</think>"]
reasoning = "<think>{text}</think>"
turn_end = "<|end▁of▁sentence|>"
section = "<{b}tool{s}calls{s}begin{b}>{calls}<{b}tool{s}calls{s}end{b}>"
call = [
    "<{b}tool{s}call{s}begin{b}>{name}<{b}tool{s}sep{b}>{arguments}<{b}tool{s}call{s}end{b}>",
    "<{b}tool{s}call{s}begin{b}>{name}<{b}tool{s}sep{b}>\\n\`\`\`json\\n{arguments}\\n\`\`\`<{b}tool{s}call{s}end{b}>",
]
join = ""
skip = "<｜end▁of▁sentence｜>"
words = { b = ["｜", "|", "‖", "｜｜", "||"], s = ["▁", " ", "_"] }
`,deepseek_v3_2:`# vLLM deepseek_v32; SGLang deepseekv32, which also reads JSON in the tag and self-closing calls.
about = "DeepSeek V3.2: DSML tags; a parameter says whether it is text, anything else is JSON."
aliases = ["deepseek_v32", "deepseekv32", "deepseek32"]
models = ["DeepSeek-V3.2", "DeepSeek-V3.2-Speciale"]
special = ["｜DSML｜", "<think>", "</think>"]
reasoning = "<think>{text}</think>"
turn_end = "<｜end▁of▁sentence｜>"
section = "<{d}function_calls>\\n{calls}\\n</{d}function_calls>"
call = [
    "<{d}invoke name=\\"{name}\\">\\n{params}</{d}invoke>",
    "<{d}invoke name=\\"{name}\\">\\n{arguments}</{d}invoke>",
    "<{d}invoke name=\\"{name}\\"/>",
]
param = "<{d}parameter name=\\"{key}\\" string=\\"{type}\\">{value}</{d}parameter>\\n"
types = { string = "true", other = "false" }
# Bars as seen in logs: GenericAgent#804, vllm#54686.
words = { d = ["｜DSML｜", "|DSML|", "‖DSML‖", "｜｜DSML｜｜", "||DSML||", "｜ DSML ｜ ", "| DSML | ", "￨DSML￨", "│DSML│", "DSML｜"] }
`,deepseek_v4:`# vLLM and dynamo deepseek_v4; SGLang deepseekv4. The section's name drifts.
about = "DeepSeek V4: the DSML tags of V3.2 in a tool_calls section."
aliases = ["deepseekv4"]
models = ["DeepSeek-V4*"]
special = ["｜DSML｜", "<think>", "</think>"]
reasoning = "<think>{text}</think>"
turn_end = "<｜end▁of▁sentence｜>"
section = "<{d}{open}>\\n{calls}\\n</{d}{open}>"
call = [
    "<{d}invoke name=\\"{name}\\">\\n{params}</{d}invoke>",
    "<{d}invoke name=\\"{name}\\">\\n{arguments}</{d}invoke>",
    "<{d}invoke name=\\"{name}\\"/>",
]
param = "<{d}parameter name=\\"{key}\\" string=\\"{type}\\">{value}</{d}parameter>\\n"
types = { string = "true", other = "false" }
# Bars as seen in logs: GenericAgent#804, vllm#54686.
words = { d = ["｜DSML｜", "|DSML|", "‖DSML‖", "｜｜DSML｜｜", "||DSML||", "｜ DSML ｜ ", "| DSML | ", "￨DSML￨", "│DSML│", "DSML｜"], open = ["tool_calls", "toolcalls", "tool"] }
`,deepseek_v4_1:`# vLLM and dynamo deepseek_v41; SGLang deepseekv41.
about = "DeepSeek V4.1: the DSML tags of V4 with a space after the bar, in a calls section."
aliases = ["deepseek_v41", "deepseekv41"]
models = ["DeepSeek-V4.1*"]
special = ["｜DSML｜", "<think>", "</think>"]
reasoning = "<think>{text}</think>"
turn_end = "<｜end▁of▁sentence｜>"
section = "<{d} calls>\\n{calls}\\n</{d} calls>"
call = [
    "<{d} invoke name=\\"{name}\\">\\n{params}</{d} invoke>",
    "<{d} invoke name=\\"{name}\\">\\n{arguments}</{d} invoke>",
    "<{d} invoke name=\\"{name}\\"/>",
]
param = "<{d} parameter name=\\"{key}\\" string=\\"{type}\\">{value}</{d} parameter>\\n"
types = { string = "true", other = "false" }
# Bars as seen in logs: GenericAgent#804, vllm#54686.
words = { d = ["｜DSML｜", "|DSML|", "‖DSML‖", "｜｜DSML｜｜", "||DSML||", "｜ DSML ｜", "| DSML |", "￨DSML￨", "│DSML│", "DSML｜"] }
`,dots:`# vLLM and SGLang dots; a JSON object may stand in for the tags.
about = "dots.llm2: invoke and parameter tags in a section of its own."
models = ["dots.llm2*"]
reasoning = "<think>{text}</think>"
section = "<dots_function_call>\\n{calls}\\n</dots_function_call>"
call = ["<invoke name=\\"{name}\\">\\n{params}</invoke>", "{call}"]
param = "<parameter name=\\"{key}\\">{value:trim}</parameter>\\n"
`,ernie45:`# vLLM ernie45. The prompt opens the reasoning; the wrapper around the answer may be missing.
about = "ERNIE-4.5: the tags of Hermes, answers in a wrapper of their own."
models = ["ERNIE-4.5*"]
reasoning = "<think>{text}</think>"
content = "<response>\\n{text:calls}\\n</response>"
turn_end = "</s>"
call = "<tool_call>\\n{call}\\n</tool_call>"
`,function_gemma:`# vLLM and Ollama functiongemma; mlx-lm function_gemma.
about = "FunctionGemma: the braces of Gemma 4 with other tokens."
aliases = ["functiongemma"]
models = ["functiongemma-*"]
special = ["<start_function_call>", "<end_function_call>", "<escape>"]
turn_end = ["<end_of_turn>", "<start_function_response>"]
call = ["<start_function_call>call:{name}{object}<end_function_call>", "call:{name}{object}{end}"]
join = ""
words = { end = ["<end_function_call>", ""] }
quote = "<escape>"
`,functionary_v2:`# llama-cpp-python functionary-v1 and functionary-v2.
about = "Functionary v2: one message per recipient; a message to a tool is a call."
aliases = ["functionary_v1"]
models = ["functionary-*-v2*"]
special = ["<|from|>", "<|recipient|>", "<|content|>"]
skip = "<|from|>assistant\\n<|recipient|>all\\n<|content|>"
call = "<|from|>assistant\\n<|recipient|>{name}\\n<|content|>{arguments}"
`,functionary_v3:`# LocalAI functionary; llama.cpp functionary v3.1. Llama on Groq loses the tag's end or its beginning (failed_generation
# in many bug reports).
about = "Functionary v3.1 and Llama 3.1 custom tools: the name in the tag, JSON inside."
aliases = ["functionary", "functionary_v3.1"]
models = ["functionary-*-v3.1*", "kanana-1.5-*"]
turn_end = ["<|eot_id|>", "<|eom_id|>"]
call = [
    "<{fn}={name}>{arguments}{end}", "<{fn}={name}{arguments}{end}", "{name}{arguments}</function>",
    "<call={name}>{arguments}</call>", "<tool={name}>{arguments}</tool>",
    "<invoke={name}>{arguments}</invoke>", "<function name=\\"{name}\\">{arguments}</function>",
]
words = { end = ["</function>", "></function>", "<function>"], fn = ["function", "function "] }
`,functionary_v3_2:`# llama.cpp functionary v3.2. The prompt ends with the first >>>, and text for the user follows ">>>all".
about = "Functionary v3.2: three angles, the recipient, and JSON on the next line."
models = ["functionary-*-v3.2*"]
turn_end = ["<|eot_id|>", "<|eom_id|>"]
section = "{calls}"
skip = ">>>all\\n"
call = [">>>{name}\\n{arguments}", "{name}\\n{arguments}"]
`,gemini:`# Gemini 2 and later where the API lets its calls through as text: control tokens stand for the marks (files that agents
# wrote on GitHub, grep \`<ctrl42>call\`), <ctrl46> for quotes as in Gemma; Python in the sandbox's way comes with or
# without the token (gemini-cli and ADK issues "malformed function call").
about = "Gemini: relaxed braces or printed Python calls behind a control token or in tool_code."
models = ["gemini-*"]
special = ["<ctrl42>", "<ctrl46>", "<ctrl94>", "<ctrl95>"]
reasoning = "<ctrl94>thought\\n{text}<ctrl95>"
call = [
    "<ctrl42>call:{ns}{name}{object}{end}",
    "<ctrl42>call\\nprint(default_api.{name}({kwargs}))",
    "<tool_code>\\nprint({api}{name}({kwargs}))\\n</tool_code>",
    "<tool_code>\\n{api}{name}({kwargs})\\n</tool_code>",
    "\`\`\`tool_code\\nprint(default_api.{name}({kwargs}))\\n\`\`\`",
    "print(default_api.{name}({kwargs}))",
]
quote = "<ctrl46>"
[words]
ns = ["", "default_api:", "default_api."]
api = ["default_api.", ""]
end = ["", "<ctrl43>", "<ctrl46>"]
`,gemma4:`# vLLM, SGLang, mlx-lm, tool-parser, dynamo, Ollama and mistral.rs gemma4; vLLM also reads calls that lost the
# word (vllm#53431); the last pattern is what is left when special tokens are stripped.
about = "Gemma 4: relaxed braces with strings between quote tokens."
aliases = ["gemma-4"]
models = ["gemma-4*"]
special = ["<|tool_call>", "<tool_call|>", "<|channel>", "<channel|>", "<|\\"|>"]
reasoning = ["<|channel>thought\\n{text}<channel|>", "<|channel>{text}<channel|>"]
turn_end = ["<turn|>", "<|tool_response>"]
call = [
    "<|tool_call>call:{name}{object}<tool_call|>",
    "<|tool_call>:{name}{object}<tool_call|>",
    "<|tool_call>call:{name}({kwargs})<tool_call|>",
    "<|tool_call>{call}<tool_call|>",
    "<call>{name}{object}{tag_end}",
    "call:{name}{object}{end}",
    "call:{name}({kwargs}){end}",
]
join = ""
words = { end = ["<tool_call|>", ""], tag_end = ["</call>", "<tool_call|>", ""] }
quote = "<|\\"|>"
`,gigachat3:`# vLLM and SGLang gigachat3. The role's name comes as plain words before the separator.
about = "GigaChat 3: one JSON call after a role marker."
models = ["GigaChat3-*", "GigaChat3.1*"]
special = ["<|function_call|>", "<|role_sep|>", "<|message_sep|>", "</s>"]
skip = ["<|message_sep|>", "</s>"]
call = ["<|function_call|>{call}", "function call<|role_sep|>\\n{call}"]
`,gigachat35:`# SGLang gigachat35.
about = "GigaChat 3.5: the tags of DeepSeek V4 under another name."
models = ["GigaChat3.5*"]
special = ["<|message_sep|>", "</s>"]
reasoning = "<think>{text}</think>"
section = "<｜GCML｜tool_calls>\\n{calls}\\n</｜GCML｜tool_calls>"
call = ["<｜GCML｜invoke name=\\"{name}\\">\\n{params}</｜GCML｜invoke>", "<｜GCML｜invoke name=\\"{name}\\">\\n{arguments}</｜GCML｜invoke>"]
param = "<｜GCML｜parameter name=\\"{key}\\" string=\\"{type}\\">{value}</｜GCML｜parameter>\\n"
types = { string = "true", other = "false" }
skip = ["<|message_sep|>", "</s>"]
`,glm45:`# vLLM glm45; SGLang glm45, glm; tool-parser glm45_moe; LocalAI glm-4.5; Ollama glm-4.6.
about = "GLM-4.5 and 4.6: the name on the first line, then pairs of key and value elements."
aliases = ["glm", "glm45_moe", "glm-4.5", "glm-4.6"]
models = ["GLM-4.5*", "GLM-4.6*", "Ring-2.6*", "HyperCLOVAX-SEED-Think-32B*"]
special = ["<tool_call>", "</tool_call>", "<arg_key>", "</arg_key>", "<arg_value>", "</arg_value>", "<think>", "</think>"]
reasoning = "<think>{text}</think>"
turn_end = ["<|im_end|>", "<|endoftext|>", "<|user|>", "<|observation|>"]
call = ["<tool_call>{name}\\n{params}</tool_call>", "<tool_call>{name}\\n{arguments}\\n</tool_call>", "<tool_call>{call}</tool_call>"]
param = [
    "<arg_key>{key}</arg_key>\\n<arg_value>{value}</arg_value>\\n",
    "<arg_key>{key}</arg_key>\\n{value}</arg_value>\\n",
    "<arg_key>{key}<arg_value>{value}</arg_value>\\n",
]

[teach]
tools = '''

# Tools

You may call one or more functions to assist with the user query.

You are provided with function signatures within <tools></tools> XML tags:
<tools>
{tools}
</tools>

For each function call, output the function name and arguments within the following XML format:
<tool_call>{function-name}
<arg_key>{arg-key-1}</arg_key>
<arg_value>{arg-value-1}</arg_value>
<arg_key>{arg-key-2}</arg_key>
<arg_value>{arg-value-2}</arg_value>
...
</tool_call>'''
place = "system_start"
`,glm47:`# vLLM glm47, ling3; SGLang glm47, ling3, spark25; mlx-lm and dynamo glm47; tool-parser glm47_moe.
about = "GLM-4.7 and 5, Ling 3, Spark 2.5: GLM-4.5 without the line breaks."
aliases = ["glm47_moe", "glm-4.7", "ling3", "spark25"]
models = ["GLM-4.7*", "GLM-5*", "Ling-3*", "Ring-3*", "Spark-2.5*", "Spark2.5*"]
special = ["<tool_call>", "</tool_call>", "<arg_key>", "</arg_key>", "<arg_value>", "</arg_value>", "<think>", "</think>"]
reasoning = "<think>{text}</think>"
turn_end = ["<|endoftext|>", "<|user|>", "<|observation|>"]
call = [
    "<tool_call>{name}{params}</tool_call>", "<tool_call>{name}\\n{arguments}\\n</tool_call>",
    "<tool_call>{call}</tool_call>", "<tool_call>{name}{end}",
]
param = [
    "<arg_key>{key}</arg_key><arg_value>{value}</arg_value>",
    "<arg_key>{key}</arg_key>{value}</arg_value>",
    "<arg_key>{key}<arg_value>{value}</arg_value>",
]
join = ""
words = { end = ["</arg_value></tool_call>", "</arg_value>"] }

[teach]
tools = '''

# Tools

You may call one or more functions to assist with the user query.

You are provided with function signatures within <tools></tools> XML tags:
<tools>
{tools}
</tools>

For each function call, output the function name and arguments within the following XML format:
<tool_call>{function-name}<arg_key>{arg-key-1}</arg_key><arg_value>{arg-value-1}</arg_value><arg_key>{arg-key-2}</arg_key><arg_value>{arg-value-2}</arg_value>...</tool_call>'''
place = "system_start"
result = "<tool_response>{text}</tool_response>"
between = ""
`,glm4_9b:`# The chat template of GLM-4-9B and GLM-4-0414.
about = "GLM-4-9B and GLM-4-0414: the tool's name on a line of its own, then JSON."
aliases = ["glm4", "chatglm4"]
models = ["glm-4-9b*", "GLM-4-*-0414", "GLM-Z1-*"]
turn_end = ["<|endoftext|>", "<|user|>", "<|observation|>"]
section = "{calls}"
call = "{name}\\n{arguments}"
`,gorilla:`# Gorilla OpenFunctions, v1 with a mark before each call; Gemma 2 and 3 with Google's prompts fence their calls.
about = "Gorilla and prompted Gemma: bare Python calls, nothing around them."
aliases = ["gorilla_openfunctions", "tool_code"]
models = ["gorilla-openfunctions*", "gemma-2-*"]
turn_end = "<end_of_turn>"
turn_start = "<start_of_turn>"
section = ["{calls}", "\`\`\`{label}\\n{calls}\\n\`\`\`", "\`\`\`{code}\\n{calls}\\n\`\`\`"]
call = ["{name}({kwargs})", "<<function>>{name}({kwargs})"]
[words]
label = ["tool_code", "tool_call", "function_call"]
code = ["python", "py", ""]
`,granite:`# vLLM granite. The marker is a special token in 3.0 and plain text from 3.1 on, so none is
# named here; nothing closes the array.
about = "Granite 3: a JSON array of calls behind one marker."
models = ["granite-3*"]
reasoning = "{here} my thought process:{text}{here} my response:"
turn_end = "<|end_of_text|>"
section = ["<|tool_call|> [{calls}]", "<tool_call> [{calls}]"]
call = "{call}"
join = ", "
words = { here = ["Here is", "Here's"] }
`,granite_20b_fc:`# vLLM granite-20b-fc.
about = "Granite 20B function calling: a marker and a JSON object for each call, nothing closes it (imitators do)."
models = ["granite-20b-functioncalling*"]
turn_end = "<|endoftext|>"
call = "<function_call> {call}{end}"
words = { end = ["", "</function_call>"] }
`,grok:`# Grok's own calls where they leak into text: claudish tells the model not to write them, transcripts and files written by
# Grok's agents on GitHub hold them. The closing tag is often damaged: \`">\`, \` >\`.
about = "Grok: a tag per call and a tag per parameter, in the namespace xai."
aliases = ["xai"]
models = ["grok-*"]
call = "<xai:function_call name=\\"{name}\\">\\n{params}{close}"
param = "<parameter name=\\"{key}\\">{value}</parameter>\\n"
words = { close = ["</xai:function_call>", "</xai:function_call >", "</xai:function_call\\">", "</xai:function_call"] }
`,harmony:`# vLLM openai; SGLang gpt-oss; dynamo, Ollama, mistral.rs harmony; llama.cpp for LLM-jp-4. Last: stripped tokens (odysseus#4522).
about = "gpt-oss: channels; a message to a function is a call."
aliases = ["openai", "gpt-oss", "openai_gptoss", "harmony_text"]
models = ["gpt-oss-*", "llm-jp-4-*"]
special = ["<|start|>", "<|channel|>", "<|constrain|>", "<|message|>", "<|end|>", "<|call|>", "<|return|>"]
reasoning = ["<|channel|>analysis<|message|>{text:opaque}{end}", "analysis{text:opaque}{next}"]
content = ["<|channel|>final{to}<|message|>{text:opaque}{end}", "<|channel|>final {constrain}<|message|>{text:opaque}{end}", "<|channel|>commentary<|message|>{text:opaque}{end}"]
skip = ["<|start|>assistant", "<|start|> assistant", "<|channel|>commentary to=assistant", "<|return|>", "<|end|>"]
call = [
    "<|channel|>{channel} to=functions.{name} {constrain}<|message|>{arguments}{call_end}",
    "{start}to=functions.{name}{via} {constrain}<|message|>{arguments}{call_end}", "<|channel|>{channel} to={name} {constrain}<|message|>{arguments}{call_end}",
    "{role}{channel} to=functions.{name} {constrain}{arguments}", "{role}to=functions.{name} {channel} {constrain}{arguments}",
    "{role}to=functions.{name} {constrain}{arguments}", "functions.{name} {constrain}{arguments}",
]
join = "<|start|>assistant"
[words]
channel = ["commentary", "analysis"]
start = ["<|start|>assistant ", ""]
via = ["<|channel|>commentary", "<|channel|>analysis", ""]
to = ["", " to=assistant", " to=user"]
role = ["", "assistant", "assistant "]
constrain = ["<|constrain|>json", "json", "code", ""]
end = ["<|end|>", "<|return|>", "<|call|>"]
next = ["assistantfinal", "assistantcommentary to="]
call_end = ["<|call|>", "<|end|>", "<|return|>"]
`,hermes:`# vLLM hermes, qwen3_json, granite4; SGLang hermes, qwen, qwen25, trinity; mlx-lm json_tools.
# Small models write elements, a bare name or a Python call into the tags.
about = "Hermes, Qwen2.5 and Qwen3: each call is one JSON object between <tool_call> tags."
aliases = ["qwen", "qwen25", "qwen3", "qwen3_json", "json_tools", "granite4", "trinity", "xiaomi_mimo"]
models = [
    "*Hermes-2-Pro*", "*Hermes-3-Llama*", "*Hermes-4*", "Qwen2.5-*", "QwQ-*", "Qwen3-*", "granite-4.0*", "MiMo-7B*",
    "Trinity-*", "K-EXAONE-236B*", "EXAONE-4*", "Falcon3-*", "Falcon-H1*", "Ling-*", "SmolLM3-*", "Jan-*", "A.X-*",
    "kanana-2-*", "Tri-*", "Motif-2*", "rnj-1*", "Bielik-*", "Arch-Agent-*", "Arch-Function-*", "Fara-*", "dots.llm1*",
]
special = ["<tool_call>", "</tool_call>", "<think>", "</think>"]
reasoning = ["<think>{text}</think>", "<|think:start|>{text}<|think:end|>"]
turn_end = ["<|im_end|>", "<|endoftext|>", "</s>", "<|im_start|>"]
turn_start = "<|im_start|>"
call = [
    "<tool_call>\\n{call}\\n</tool_call>",
    "<tool_call>\\n<name>{name}</name>\\n<arguments>{arguments}</arguments>\\n</tool_call>",
    "<tool_call>{name}\\n{arguments}\\n</tool_call>",
    "<tool_call>{name}({kwargs})</tool_call>",
    "<tool_call name=\\"{name}\\">{arguments}</tool_call>",
]

[teach]
tools = '''# Tools

You may call one or more functions to assist with the user query.

You are provided with function signatures within <tools></tools> XML tags:
<tools>
{tools}
</tools>

For each function call, return a json object with function name and arguments within <tool_call></tool_call> XML tags:
<tool_call>
{"name": <function-name>, "arguments": <args-json-object>}
</tool_call>'''
`,hunyuan_a13b:`# vLLM hunyuan_a13b; mistral.rs hunyuan.
about = "Hunyuan-A13B: a JSON array of calls between <tool_calls> tags, answers in a wrapper of their own."
models = ["Hunyuan-A13B*"]
reasoning = "<think>{text}</think>"
content = "<answer>\\n{text:calls}\\n</answer>"
section = "<tool_calls>[{calls}]</tool_calls>"
call = "{call}"
join = ", "
`,hy_v3:`# vLLM hy_v3; SGLang hunyuan. A checkpoint may put one suffix, such as :opensource, into every tag.
about = "Hunyuan 3: GLM-like elements in a section, the name closed by a separator."
aliases = ["hunyuan"]
models = ["Hy3*"]
reasoning = "<think{mark}>{text}</think{mark}>"
section = "<tool_calls{mark}>\\n{calls}\\n</tool_calls{mark}>"
call = "<tool_call{mark}>{name}<tool_sep{mark}>\\n{params}</tool_call{mark}>"
param = "<arg_key{mark}>{key}</arg_key{mark}>\\n<arg_value{mark}>{value}</arg_value{mark}>\\n"
`,hy_v4:`# vLLM and tool-parser hy_v4; SGLang hunyuan without the separator in its vocabulary.
about = "Hunyuan 4: Hunyuan 3 without the separator and the line breaks."
models = ["Hy4*"]
reasoning = "<think{mark}>{text}</think{mark}>"
section = "<tool_calls{mark}>{calls}</tool_calls{mark}>"
call = "<tool_call{mark}>{name}{params}</tool_call{mark}>"
param = "<arg_key{mark}>{key}</arg_key{mark}><arg_value{mark}>{value}</arg_value{mark}>"
join = ""
`,hyperclovax:`# vLLM hyperclovax and hyperclovax_seed_think_14b; the chat template of HyperCLOVAX-SEED-Think-14B. The prompt ends with
# <|im_start|>assistant, so the first header has only its end. The 32B model writes GLM-4.5's tags.
about = "HyperCLOVA X SEED: a message to a role, holding a JSON array of calls."
aliases = ["hyperclovax_seed_think_14b", "hcx"]
models = ["HyperCLOVAX-SEED-Think-14B*", "HyperCLOVAX-SEED-Text*"]
special = ["<|im_start|>", "<|im_end|>"]
reasoning = "/think\\n{text:opaque}<|im_end|>"
turn_end = ["<|im_end|>", "<|endofturn|>", "<|stop|>", "<|im_start|>assistant"]
section = ["{start} -> tool/function_call\\n[{calls}]{end}", "-> tool/function_call\\n[{calls}]{end}"]
call = "{call}"
join = ", "
words = { start = ["<|im_start|>assistant"], end = ["<|im_end|>", ""] }
`,inkling:`# vLLM, SGLang, tool-parser, dynamo inkling. The prompt ends with the first <|message_model|>.
about = "Inkling: typed message blocks; a call's block carries a JSON object with the name again."
models = ["*Inkling*"]
special = [
    "<|message_model|>", "<|end_message|>", "<|content_thinking|>", "<|content_text|>",
    "<|content_invoke_tool_json|>", "<|content_model_end_sampling|>",
]
reasoning = "{start}<|content_thinking|>{text:opaque}{end}"
content = "{start}<|content_text|>{text:opaque}{end}"
skip = "<|content_model_end_sampling|>"
call = [
    "<|message_model|>{_}<|content_invoke_tool_json|>{call}<|end_message|>",
    "{name}<|content_invoke_tool_json|>{call}<|end_message|>",
    "{start}<|content_invoke_tool_json|>{call}<|end_message|>",
]
join = ""
json = { arguments = ["args"] }
words = { start = ["<|message_model|>", ""], end = ["<|end_message|>", "<|content_model_end_sampling|>"] }
`,internlm2:`# vLLM internlm; SGLang interns1. A space between the two tokens comes and goes with the detokenizer.
about = "InternLM and Intern-S1: two special tokens, a JSON object, a closing token."
aliases = ["internlm", "interns1"]
models = ["internlm2*", "internlm3*", "Intern-S1*"]
special = ["<|action_start|>", "<|plugin|>", "<|action_end|>"]
reasoning = "<think>{text}</think>"
turn_end = "<|im_end|>"
call = "<|action_start|><|plugin|>\\n{call}<|action_end|>"
join = ""
json = { arguments = ["parameters", "arguments"] }
`,iquest_q1:`# SGLang iquest_q1; vLLM iquest_coder_v2, whose tag has another name.
about = "IQuest Q1 and Coder V2: GLM-4.7 under a tag of its own."
aliases = ["iquest_coder_v2"]
models = ["IQuest-Q1*", "IQuest-Coder-V2*"]
reasoning = "<think>{text}</think>"
turn_end = "<|im_end|>"
call = "<{tag}>{name}{params}</{tag}>"
param = "<arg_key>{key}</arg_key><arg_value>{value}</arg_value>"
join = ""
words = { tag = ["iquest_tool_call", "iquestcoder_tool_call"] }
`,k2_horizon:`# vLLM and SGLang k2_horizon; the type element comes with the xml_typed template only.
about = "K2 Horizon in XML mode: key, type and value elements, all calls in one section."
aliases = ["k2_v3"]
models = ["K2-*Horizon*", "K2-v3*"]
reasoning = ["<ifm|think>{text}</ifm|think>", "<ifm|think_fast>{text}</ifm|think_fast>", "<ifm|think_faster>{text}</ifm|think_faster>"]
section = "<ifm|tool_calls>\\n{calls}\\n</ifm|tool_calls>"
call = "<ifm|tool_call>{name}\\n{params}</ifm|tool_call>"
param = [
    "<ifm|arg_key>{key}</ifm|arg_key>\\n<ifm|arg_type>{type}</ifm|arg_type>\\n<ifm|arg_value>{value}</ifm|arg_value>\\n",
    "<ifm|arg_key>{key}</ifm|arg_key>\\n<ifm|arg_value>{value}</ifm|arg_value>\\n",
]
`,k2_horizon_json:`# vLLM and SGLang k2_horizon, where the chat template asks for JSON.
about = "K2 Horizon in JSON mode: one object per call, all calls in one section."
models = ["K2-*Horizon*", "K2-v3*"]
reasoning = ["<ifm|think>{text}</ifm|think>", "<ifm|think_fast>{text}</ifm|think_fast>", "<ifm|think_faster>{text}</ifm|think_faster>"]
section = "<ifm|tool_calls>\\n{calls}\\n</ifm|tool_calls>"
call = "<ifm|tool_call>{call}</ifm|tool_call>"
`,kimi_k2:`# vLLM, SGLang, mlx-lm, dynamo kimi_k2; tool-parser kimik2. The singular section marker is drift.
about = "Kimi K2: the header is the call's id and carries the name."
aliases = ["kimik2"]
models = ["Kimi-K2*"]
special = [
    "<|tool_calls_section_begin|>", "<|tool_calls_section_end|>", "<|tool_call_begin|>",
    "<|tool_call_argument_begin|>", "<|tool_call_end|>",
]
reasoning = ["<think>{text}</think>", "◁think▷{text}◁/think▷"]
turn_end = "<|im_end|>"
section = "<|tool_{s}_section_begin|>{calls}<|tool_{s}_section_end|>"
call = "<|tool_call_begin|>{id}<|tool_call_argument_begin|>{arguments}<|tool_call_end|>"
join = ""
id = "functions.{name}:{index}"
words = { s = ["calls", "call"] }
`,kimi_k3:`# vLLM, SGLang, mlx-lm, tool-parser and dynamo kimi_k3; mlx-lm also reads the JSON block.
about = "Kimi K3: open, close and sep tokens around channels, calls and typed arguments."
models = ["Kimi-K3*"]
special = ["<|open|>", "<|close|>", "<|sep|>", "<|end_of_msg|>"]
reasoning = "<|open|>think<|sep|>{text}<|close|>think<|sep|>"
content = "<|open|>response<|sep|>{text:opaque}<|close|>response<|sep|>"
skip = ["<|close|>message<|sep|>", "<|end_of_msg|>"]
section = "<|open|>tools<|sep|>{calls}<|close|>tools<|sep|>"
call = [
    "<|open|>call tool=\\"{name}\\" index=\\"{index}\\"<|sep|>{params}<|close|>call<|sep|>",
    "<|open|>call tool=\\"{name}\\" index=\\"{index}\\"<|sep|><|open|>json type=\\"object\\"<|sep|>{arguments}<|close|>json<|sep|><|close|>call<|sep|>",
]
param = "<|open|>argument key=\\"{key}\\" type=\\"{type}\\"<|sep|>{value}<|close|>argument<|sep|>"
types = { integer = "number" }
join = ""
`,lfm2:`# vLLM, SGLang and Ollama lfm2; mlx-lm pythonic; mistral.rs liquid. SGLang also reads a JSON array.
about = "LFM2: a Python list of calls between two special tokens."
aliases = ["liquid"]
models = ["LFM2*"]
special = ["<|tool_call_start|>", "<|tool_call_end|>"]
reasoning = "<think>{text}</think>"
turn_end = "<|im_end|>"
section = ["<|tool_call_start|>[{calls}]<|tool_call_end|>", "[{calls}]"]
call = ["{name}({kwargs})", "{call}"]
join = ", "
`,llama3_json:`# The built-in tools of 3.1 are called in Python. vLLM llama3_json, llama4_json; SGLang llama3. The marker is often missing, then the output
# starts with the object; so the special token proves nothing, and none is named here.
about = "Llama 3 and 4 with the JSON template: objects separated by semicolons."
aliases = ["llama3", "llama3.1", "llama4_json", "llama"]
models = ["*Llama-3.1*", "*Llama-3.2*", "*Llama-3.3*", "Llama-4-*"]
turn_end = ["<|eot_id|>", "<|eom_id|>", "<|end_of_text|>", "<|end_header_id|>"]
turn_start = "<|start_header_id|>"
section = ["<|python_tag|>{calls}", "{calls}"]
call = ["{call}", "{name}.call({kwargs})"]
join = "; "
json = { arguments = ["parameters", "arguments"] }
`,llama4_pythonic:`# vLLM llama4_pythonic; SGLang and dynamo pythonic. Either token may be missing, so
# none is named here: it proves nothing.
about = "Llama 4: a Python list of calls between two tokens."
models = ["Llama-4-*"]
turn_end = ["<|eot|>", "<|eom|>"]
section = ["<|python_start|>[{calls}]{end}", "<|python_tag|>[{calls}]{end}", "[{calls}]{end}", "<|python_tag|>{calls}"]
call = "{name}({kwargs})"
join = ", "
words = { end = ["<|python_end|>", ""] }
`,lm_studio:`# LM Studio's prompt for models without tools of their own.
about = "LM Studio: a JSON object between marker words in brackets."
aliases = ["lmstudio"]
call = "[TOOL_REQUEST]{call}[END_TOOL_REQUEST]"
`,longcat:`# mlx-lm longcat.
about = "LongCat Lite and Omni: GLM-like elements under names of their own, sometimes JSON instead."
models = ["LongCat-Flash-Lite*", "LongCat-*Omni*"]
special = ["<longcat_think>", "</longcat_think>"]
reasoning = "<longcat_think>{text}</longcat_think>"
call = ["<longcat_tool_call>{name}\\n{params}</longcat_tool_call>", "<longcat_tool_call>{call}</longcat_tool_call>"]
param = "<longcat_arg_key>{key}</longcat_arg_key>\\n<longcat_arg_value>{value:trim}</longcat_arg_value>\\n"
`,longcat_json:`# vLLM longcat; mlx-lm longcat, which tries JSON first.
about = "LongCat-Flash: Hermes under a tag of its own."
models = ["LongCat-Flash-Chat*", "LongCat-Flash-Thinking*"]
special = ["<longcat_think>", "</longcat_think>"]
reasoning = "<longcat_think>{text}</longcat_think>"
call = "<longcat_tool_call>{call}</longcat_tool_call>"
`,mimo:`# vLLM and SGLang mimo.
about = "MiMo V2: the tags of Qwen3-Coder with values taken as they stand."
models = ["MiMo-V2*"]
reasoning = "<think>{text}</think>"
turn_end = "<|im_end|>"
section = "<tool_call>\\n{calls}\\n</tool_call>"
call = "<function={name}>\\n{params}</function>"
param = "<parameter={key}>{value}</parameter>\\n"
one = "section"
`,minicpm3:`# OpenBMB's function calling code for these models; the tokens are LFM2's.
about = "MiniCPM3 and 4: fenced Python calls between two special tokens."
models = ["MiniCPM3-*", "MiniCPM4*"]
special = ["<|thought_start|>", "<|thought_end|>", "<|tool_call_start|>", "<|tool_call_end|>"]
reasoning = "<|thought_start|>{text}<|thought_end|>"
turn_end = "<|im_end|>"
section = "<|tool_call_start|>\\n\`\`\`python\\n{calls}\\n\`\`\`\\n<|tool_call_end|>"
call = "{name}({kwargs})"
`,minicpm5:`# vLLM, SGLang and mlx-lm minicpm5. Some hosts cut the opening marker off, some tokenizers lose the space in it.
about = "MiniCPM5: function and param tags; values with markup or line breaks are CDATA."
models = ["MiniCPM5-*"]
reasoning = "<think>{text}</think>"
turn_end = "<|im_end|>"
call = [
    "<function name=\\"{name}\\">{params}</function>",
    "<function name=\\"{name}\\"><arguments>{params}</arguments></function>",
    "name=\\"{name}\\">{params}</function>",
    "name=\\"{name}\\"><arguments>{params}</arguments></function>",
]
param = "<param name=\\"{key}\\">{value:trim,cdata}</param>"

[teach]
tools = '''# Tools

You are provided with function signatures within <tools></tools> XML tags:
<tools>
{tools}
</tools>

Tool usage guidelines:
- You may call zero or more functions. If no function calls are needed, just answer normally and do not include any <function ... </function>.
- When calling a function, return an XML object within <function ... </function> using:
<function name="function-name"><param name="param-name">param-value</param></function>
- param-value may be multi-line. If it contains <, & or newline characters, wrap it in a CDATA block: <param name="param-name"><![CDATA[...multi-line value...]]></param>'''
`,minimax_m2:`# vLLM, mlx-lm, dynamo minimax_m2; SGLang and LocalAI minimax-m2. The prompt opens the reasoning.
about = "MiniMax M2: invoke and parameter tags with name attributes."
models = ["MiniMax-M2*"]
special = ["<minimax:tool_call>", "</minimax:tool_call>", "<think>", "</think>"]
reasoning = "<think>{text}</think>"
turn_end = "[e~["
strong = "[e~["
section = "<minimax:tool_call>\\n{calls}\\n</minimax:tool_call>"
call = "<invoke name=\\"{name}\\">\\n{params}</invoke>"
param = "<parameter name=\\"{key}\\">{value}</parameter>\\n"

[teach]
tools = '''# Tools
You may call one or more tools to assist with the user query.
Here are the tools available in JSONSchema format:

<tools>
{tools}
</tools>

When making tool calls, use XML format to invoke tools and pass parameters:

<minimax:tool_call>
<invoke name="tool-name-1">
<parameter name="param-key-1">param-value-1</parameter>
<parameter name="param-key-2">param-value-2</parameter>
...
</invoke>
</minimax:tool_call>'''
tool = "<tool>{function}</tool>"
result = "<response>{text}</response>"
`,minimax_m3:`# vLLM, tool-parser and dynamo minimax_m3; SGLang minimax-m3.
about = "MiniMax M3: a tree of elements, each tag behind one special token; the schema decides what nests."
aliases = ["minimax_m3_nom"]
models = ["MiniMax-M3*"]
special = "]<]minimax[>["
reasoning = "<mm:think>{text}</mm:think>"
turn_end = "[e~["
strong = "[e~["
section = "]<]minimax[>[<tool_call>\\n{calls}\\n]<]minimax[>[</tool_call>"
call = "]<]minimax[>[<invoke name=\\"{name}\\">{params}]<]minimax[>[</invoke>"
param = "]<]minimax[>[<{key}>{tree}]<]minimax[>[</{key}>"
`,minimax_tool_call:`# What MiniMax models write for clients that gave them no format (agent logs of 2026-03; grep \`tool =>\` on GitHub):
# Ruby's arrows around options of a command line, sometimes around JSON. Options without quotes stay text: no literal ends
# their keys, only a blank does.
about = "MiniMax without a template: arrows and dashed options between TOOL_CALL brackets."
models = ["MiniMax-Text-01*"]
call = [
    "[TOOL_CALL]\\n{{tool => \\"{name}\\", args => {{\\n{params}}}}}\\n[/TOOL_CALL]",
    "[TOOL_CALL]\\n{{tool => \\"{name}\\", args => {arguments}}}\\n[/TOOL_CALL]",
]
param = "--{key} \\"{value}\\"\\n"
`,mistral_json:`# vLLM mistral with a tokenizer before v11; SGLang, mlx-lm, dynamo mistral. Only dynamo knows a closing marker.
about = "Mistral before tokenizer v11: a JSON array of calls after [TOOL_CALLS]."
aliases = ["mistral", "mistral_nemo"]
models = ["Mistral-7B-Instruct-v0.3", "Mistral-Nemo*", "Mistral-Small-24*", "Mistral-Large-24*", "Mixtral-8x22B*", "Ministral-8B-Instruct-2410"]
special = ["[TOOL_CALLS]", "[THINK]", "[/THINK]"]
reasoning = "[THINK]{text}[/THINK]"
turn_end = "</s>"
turn_start = "<s>"
section = ["[TOOL_CALLS][{calls}]", "[TOOL_CALLS]{calls}"]
skip = "[/TOOL_CALLS]"
call = "{call}"
json = { id = ["id"] }
join = ", "
`,mistral_v11:`# vLLM mistral with a tokenizer from v11 on, where [ARGS] may be missing; SGLang mistral (compact); Ollama ministral.
about = "Mistral from tokenizer v11 on: a marker, the name, [ARGS] and JSON for each call."
aliases = ["mistral_compact", "ministral"]
models = ["Mistral-Small-3.*", "Mistral-Medium-3*", "Mistral-Large-3*", "Magistral*", "Devstral*", "Ministral-3*"]
special = ["[TOOL_CALLS]", "[CALL_ID]", "[ARGS]", "[THINK]", "[/THINK]"]
reasoning = ["[THINK]{text}[/THINK]", "<think>{text}</think>"]
turn_end = "</s>"
call = ["[TOOL_CALLS]{name}{args}{arguments}", "[TOOL_CALLS]{name}[CALL_ID]{id}[ARGS]{arguments}"]
join = ""
words = { args = ["[ARGS]", "[ARGS", ""] }
`,muse_atem:`# vLLM muse, musespark1x, muse_glimmer; mlx-lm muse_spark; Ollama glimmer; mistral.rs atem. The prompt ends within the
# first header, so a message may start at its recipient; one without recipient is reasoning.
about = "Muse: one message per recipient; a message to a tool carries atem tags."
aliases = ["muse", "muse_spark", "muse_spark_open", "muse_glimmer", "musespark1x", "glimmer", "atem"]
models = ["Muse-*"]
special = ["<|start|>", "<|message|>", "<|eom|>", "<|eot|>"]
reasoning = ["to=self<|message|>{text:opaque}{end}", "<|message|>{text:opaque}{end}"]
content = ["to=user<|message|>{text:opaque}{end}", "to=commentary<|message|>{text:opaque}{end}"]
skip = ["<|start|>assistant ", "<|start|>assistant", "<|eom|>", "<|eot|>"]
section = [
    "<|start|>assistant to={_}<|message|><atem:function_calls>\\n{calls}\\n</atem:function_calls>{call_end}",
    " to={_}<|message|><atem:function_calls>\\n{calls}\\n</atem:function_calls>{call_end}",
    "<atem:function_calls>\\n{calls}\\n</atem:function_calls>{call_end}",
]
call = "<atem:invoke name=\\"{name}\\">\\n{params}</atem:invoke>"
param = "<atem:parameter name=\\"{key}\\">{value}</atem:parameter>\\n"
one = "section"
join = ""
words = { end = ["<|eom|>", "<|eot|>"], call_end = ["<|eom|>", "<|eot|>", ""] }
`,nemotron_deci:`# dynamo nemotron_deci, default. BFCL's prompts ask for Python calls between the same tags.
about = "Llama-Nemotron: a JSON array of calls between <TOOLCALL> tags."
aliases = ["default"]
models = ["Llama-3*Nemotron*", "*Nemotron-Nano-9B-v2*"]
reasoning = "<think>{text}</think>"
turn_end = "<|eot_id|>"
section = ["<TOOLCALL>[{calls}]</TOOLCALL>", "<TOOLCALL>\`\`\`json\\n[{calls}]\\n\`\`\`</TOOLCALL>", "<TOOLCALL>{calls}</TOOLCALL>"]
call = ["{call}", "{name}({kwargs})"]
join = ", "
`,nexus_raven:`# Nexusflow; an explanation follows the call.
about = "NexusRaven: the word Call and a Python call."
models = ["NexusRaven*"]
section = "Call: {calls}{end}"
call = "{name}({kwargs})"
join = "; "
words = { end = ["<bot_end>", ""] }
`,olmo3:`# vLLM olmo3; Ollama olmo3, olmo3-think.
about = "OLMo 3: Python calls, one on each line, between <function_calls> tags."
aliases = ["olmo3-think"]
models = ["Olmo-3-*"]
reasoning = "<think>{text}</think>"
turn_end = ["<|im_end|>", "<|endoftext|>"]
section = "<function_calls>{calls}</function_calls>"
call = "{name}({kwargs})"
`,openai_json:`# Models trained on OpenAI's parallel tool write tool_uses. Members named \`function\`, \`type\` and \`id\` inside a call object are read everywhere.
about = "OpenAI-shaped JSON written as text: an object with a tool_calls array."
aliases = ["openai_tool_calls", "xlam1"]
models = ["xLAM-1b-fc-r*", "xLAM-7b-*r", "xLAM-8x7b-r*", "xLAM-8x22b-r*"]
section = ["{{\\"tool_calls\\": [{calls}]}}", "{{\\"tool_uses\\": [{calls}]}}"]
json = { name = ["name", "recipient_name"] }
call = "{call}"
join = ", "
`,phi4_mini:`# vLLM phi4_mini_json; dynamo phi4.
about = "Phi-4-mini: the plain word functools and a JSON array of calls."
aliases = ["phi4_mini_json", "phi4"]
models = ["Phi-4-mini*"]
turn_end = "<|end|>"
section = ["functools[{calls}]", "functools [{calls}]"]
call = "{call}"
join = ", "
`,plamo3:`# vLLM plamo3. Each marker is several tokens.
about = "PLaMo 3: a begin and an end marker around every part of a call."
models = ["plamo-3*"]
reasoning = "<|plamo:begin_think:plamo|>{text}<|plamo:end_think:plamo|>"
section = "<|plamo:begin_tool_requests:plamo|>{calls}<|plamo:end_tool_requests:plamo|>"
call = "<|plamo:begin_tool_request:plamo|><|plamo:begin_tool_name:plamo|>{name}<|plamo:end_tool_name:plamo|><|plamo:begin_tool_arguments:plamo|><|plamo:constrain|>json<|plamo:msg|>{arguments}<|plamo:end_tool_arguments:plamo|><|plamo:end_tool_request:plamo|>"
join = ""
skip = "<|plamo:tag|>"
`,poolside_v1:`# vLLM, SGLang and Ollama poolside_v1; mlx-lm laguna. Ollama also reads bare JSON and JSON in a user element.
about = "Poolside Laguna: GLM-4.5 with values taken as they stand."
aliases = ["laguna"]
models = ["Laguna-*"]
reasoning = "<think>{text}</think>"
call = ["<tool_call>{name}\\n{params}</tool_call>", "<tool_call>{name}\\n{arguments}\\n</tool_call>", "<user>\\n{call}\\n</user>", "{call}"]
param = "<arg_key>{key}</arg_key>\\n<arg_value>{value}</arg_value>\\n"
`,prompted_xml:`# What gateways ask of models whose interface has no tools (grok2api's prompt), and what models make of it without being
# asked (DeepSeek V4 in agents; Qwen2.5 and GLM-4.7 inside their own call tag).
about = "Prompted XML: elements for the name and the parameters, JSON or elements inside."
aliases = ["grok2api"]
section = "<tool_calls>\\n{calls}\\n</tool_calls>"
call = [
    "<tool_call>\\n<tool_name>{name}</tool_name>\\n<parameters>{arguments}</parameters>\\n</tool_call>",
    "<tool_call>\\n<tool_name>{name}</tool_name>\\n<parameters>{params}</parameters>\\n</tool_call>",
    "<function>\\n<name>{name}</name>\\n{params}</function>",
    "<invoke name=\\"{name}\\">\\n{params}</invoke>",
    "<tool_call>\\n<invoke name=\\"{name}\\">\\n{params}</invoke>\\n</tool_call>",
    "<function={name}>\\n{params}</function>",
    "<tool_call>\\n<function={name}>\\n{params}</function>\\n</tool_call>",
    "<tool_call>{name}\\n{params}</{name}>\\n</tool_call>",
]
param = "<{key}>{tree:trim,cdata}</{key}>\\n"
`,pythonic:`# vLLM, SGLang, tool-parser and dynamo pythonic.
about = "ToolACE, small Llama 3.2, prompted Gemma 3: a Python list of calls, nothing around it."
models = ["ToolACE*", "watt-tool-*", "Llama-3.2-1B*", "Llama-3.2-3B*", "gemma-3-*"]
turn_end = ["<|eot_id|>", "<end_of_turn>"]
section = ["[{calls}]", "\`\`\`{label}\\n[{calls}]\\n\`\`\`", "\`\`\`{code}\\n[{calls}]\\n\`\`\`"]
call = ["{name}({kwargs})", "\\"{name}({kwargs})\\"", "'{name}({kwargs})'"]
join = ", "
[words]
label = ["tool_code", "tool_call", "function_call"]
code = ["python", "py", "json", ""]
`,qwen25_drift:'# anyclaude QwenToolParser and its fallbacks: seen from small Qwen2.5-Coder models, changing within a session.\nabout = "Qwen2.5-Coder drift: the call in whatever wrapper comes to mind."\naliases = ["qwen25_coder", "QwenToolParser"]\nmodels = ["Qwen2.5-Coder-*"]\nturn_end = "<|im_end|>"\nweak = ["<response>"]\ncall = [\n    "<tools>{call}</tools>", "<function>{call}</function>", "<tool_call>{call}</tool_call>", "<tool>{call}</tool>",\n    "<function-call>{call}</function-call>", "<response>{call}</response>", "[TOOL_CALL]{call}[/TOOL_CALL]",\n    "<{call}>", "```{code}\\n{call}\\n```", "```tool_call\\n{call}\\n```", "```function_call\\n{call}\\n```", "```tool_code\\n{call}\\n```", "functools{call}", "{call}",\n    "<start_function_call>call:{name}{object}<end_function_call>",\n    "<function={name}>{params}</function>", "function={name}>\\n{params}</function>", "<function={name}>{arguments}</function>",\n    "<function name=\\"{name}\\" arguments=\'{arguments}\'/>", "<{name}{attrs}/>",\n]\nparam = "<parameter={key}>\\n{value}\\n</parameter>\\n"\nquote = "<escape>"\nwords = { code = ["json", "python", "py", ""] }\n',qwen3_coder:`# vLLM also qwen3_xml, step3p5, step5. Drift: JSON in the tag, a lost \`<\`, names as attributes or under other words (AI SDK).
about = "Qwen3-Coder: one tag per call, one tag per parameter; values are raw text, typed by the schema."
aliases = ["qwen3_xml", "qwen_xml", "qwen_coder", "qwen3coder", "qwen3.5", "step3p5", "step5", "nanbeige", "nemotron", "nemotron_nano", "nemotron_v3", "nemotron3", "nemotron-3-nano", "k-exaone-2"]
models = [
    "Qwen3-Coder*", "Qwen3.5*", "Qwen3.6*", "Qwen3.8*", "*Nemotron-3-*", "Step-3.5*", "Step-3.7*", "Step-5*", "Nanbeige*",
    "granite-4.2*", "MiniCPM-V-4*", "K-EXAONE-2.*", "INTELLECT-3*", "IQuest-Coder-V1*",
]
special = ["<tool_call>", "</tool_call>", "<think>", "</think>"]
reasoning = "<think>{text}</think>"
turn_end = ["<|im_end|>", "<|endoftext|>"]
section = "<tool_call>\\n{calls}\\n</tool_call>"
call = [
    "<{fn}={name}>\\n{params}</function>", "<call={name}>\\n{params}</call>",
    "<tool={name}>\\n{params}</tool>", "<invoke={name}>\\n{params}</invoke>",
    "<function={name}>\\n{arguments}</function>", "<function>{call}</function>",
    "<tool_call name=\\"{name}\\">\\n{params}</tool_call>", "<{tag} name=\\"{name}\\">\\n{params}</{tag}>",
    "function={name}>\\n{params}</function>",
]
param = [
    "<{pa}={key}>\\n{value}\\n</parameter>\\n",
    "<parameter name=\\"{key}\\">\\n{value}\\n</parameter>\\n",
    "<parameter>{key}</parameter>{value:trim}</parameter>\\n",
]
one = "section"
words = { fn = ["function", "function "], pa = ["parameter", "parameter "], tag = ["function", "call"] }

[teach]
tools = '''# Tools

You have access to the following tools:

<tools>
{tools}
</tools>

If you choose to call a tool ONLY reply in the following format with NO suffix:

<tool_call>
<function=example_function_name>
<parameter=example_parameter_1>
value_1
</parameter>
<parameter=example_parameter_2>
value_2
</parameter>
</function>
</tool_call>

<IMPORTANT>
Reminder:
- Function calls MUST follow the specified format: the tool calling block MUST begin with an opening <tool_call> tag and end with a closing </tool_call> tag.
- Required parameters MUST be specified
- You may provide optional reasoning for your function call in natural language BEFORE the function call, but NOT after
- If there is no function call available, answer the question like normal with your current knowledge and do not tell the user about function calls
</IMPORTANT>'''
tool = "{xml}"
results = "{results}\\n"
`,qwen_agent:`# Qwen-Agent's first prompt (fncall_prompt_type = "qwen"); its second one, "nous", is Hermes.
about = "Qwen and Qwen2 with Qwen-Agent: name and arguments behind flower marks."
aliases = ["qwen_fncall"]
models = ["Qwen-7B*", "Qwen-14B*", "Qwen-72B*", "Qwen1.5-*", "Qwen2-*"]
turn_end = "<|im_end|>"
call = "✿FUNCTION✿: {name}\\n✿ARGS✿: {arguments}"
skip = ["✿RESULT✿", "✿RETURN✿:"]
`,react:`# LangChain's and ToolBench's ReAct prompts. Small models add fences and bold labels.
about = "ReAct prompts: an Action line with the name, an Action Input line with JSON or plain text."
aliases = ["toolbench"]
models = ["ToolLLaMA*"]
call = [
    "{b}Action:{b} {name}\\n{b}Action Input:{b} {open}{arguments}{close}",
    "{b}Action:{b} {name}\\n{b}Action Input:{b} {content}\\nObservation:",
]
words = { b = ["", "**"], open = ["", "\`\`\`json", "\`\`\`"], close = ["", "\`\`\`"] }
`,rwkv:`# vLLM rwkv: the Markdown that RWKV-7's data writes calls in.
about = "RWKV-7 G1: a bold label and a fenced JSON object."
models = ["rwkv7*", "rwkv-7*"]
reasoning = "<think>{text}</think>"
call = "**Tool Call:**\\n\`\`\`json\\n{call}\\n\`\`\`"
join = "\\n\\n"
`,sarashina:`# tool-parser sarashina. The marker is usually lost in detokenization.
about = "Sarashina: a Python list of dictionaries, one for each call."
models = ["sarashina*"]
special = ["<|tool_calls|>"]
section = ["<|tool_calls|>[{calls}]", "[{calls}]"]
call = "{call}"
join = ", "
`,seed_oss:`# vLLM seed_oss.
about = "Seed-OSS: the tags of Qwen3-Coder in sections and reasoning of its own."
models = ["Seed-OSS-*", "Seed-Coder*"]
special = ["<seed:tool_call>", "</seed:tool_call>", "<seed:think>", "</seed:think>"]
reasoning = "<seed:think>{text}</seed:think>"
turn_end = "<seed:eos>"
section = "<seed:tool_call>\\n{calls}\\n</seed:tool_call>"
call = ["<function={name}>\\n{params}</function>", "<function={name}>\\n{arguments}</function>"]
param = "<parameter={key}>{value:trim}</parameter>\\n"
one = "section"
`,solar_open:`# vLLM and SGLang solar_open, llama.cpp's handler; the chat template of upstage/Solar-Open-100B. The prompt ends with
# <|begin|>assistant, so what comes first has no header.
about = "Solar Open: typed messages; a call is an id, a name and JSON between special tokens."
models = ["Solar-Open-100B*"]
special = [
    "<|begin|>", "<|end|>", "<|think|>", "<|content|>", "<|flush|>", "<|calls|>", "<|tool_calls|>",
    "<|tool_call:begin|>", "<|tool_call:end|>", "<|tool_call:name|>", "<|tool_call:args|>",
]
reasoning = "<|think|>{text}<|end|>"
content = "<|content|>{text:opaque}{end}"
skip = ["<|begin|>assistant", "<|end|>", "<|flush|>", "<|calls|>"]
section = "<|tool_calls|>{calls}<|calls|>"
call = "<|tool_call:begin|>{id}<|tool_call:name|>{name}<|tool_call:args|>{arguments}<|tool_call:end|>"
join = ""
words = { end = ["<|end|>", "<|flush|>"] }
`,solar_open2:`# vLLM and SGLang solar_open2; the chat template of upstage/Solar-Open2-250B.
about = "Solar Open 2: the name on the first line, then key and value of each argument between special tokens."
models = ["Solar-Open2*", "Solar-Pro-4*"]
special = [
    "<|tool_call:start|>", "<|tool_call:end|>", "<|tool_arg:start|>", "<|tool_arg:value|>", "<|tool_arg:end|>",
    "<|think:start|>", "<|think:end|>", "<|im:end|>",
]
reasoning = "<|think:start|>{text}<|think:end|>"
turn_end = "<|im:end|>"
call = "<|tool_call:start|>{name}\\n{params}<|tool_call:end|>"
param = "<|tool_arg:start|>{key}<|tool_arg:value|>{value}<|tool_arg:end|>\\n"
`,step3:`# vLLM, SGLang and tool-parser step3. Full-width bars as in DeepSeek, but ASCII underscores.
about = "Step3: a DeepSeek-like frame around steptml tags."
models = ["step3*"]
special = ["<｜tool_calls_begin｜>", "<｜tool_calls_end｜>", "<｜tool_call_begin｜>", "<｜tool_sep｜>", "<｜tool_call_end｜>"]
reasoning = "<think>{text}</think>"
turn_end = "<|im_end|>"
section = "<｜tool_calls_begin｜>\\n{calls}\\n<｜tool_calls_end｜>"
call = "<｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name=\\"{name}\\">{params}</steptml:invoke><｜tool_call_end｜>"
param = "<steptml:parameter name=\\"{key}\\">{value:trim}</steptml:parameter>"
`,structured_chat:'# LangChain\'s structured chat agent; the action "Final Answer" is no tool and stays text.\nabout = "LangChain\'s structured chat: a fenced JSON object with action and action_input."\naliases = ["langchain"]\ncall = ["Action:\\n```json\\n{call}\\n```", "Action:\\n```\\n{call}\\n```", "```json\\n{call}\\n```"]\njson = { name = ["action"], arguments = ["action_input"] }\n',tool_calls_array:`# vLLM jamba; LocalAI apriel-1.5. Apriel's prompt opens its reasoning, which plain words close (the chat templates of
# ServiceNow-AI/Apriel-1.5-15b-Thinker and 1.6).
about = "Jamba and Apriel: a JSON array of calls between <tool_calls> tags."
aliases = ["jamba", "apriel-1.5", "apriel"]
models = ["*Jamba*", "Apriel-*-Thinker*", "MiniMax-M1*"]
special = ["<tool_calls>", "</tool_calls>"]
reasoning = ["<think>{text}</think>", "Here are my reasoning steps:\\n{text}[BEGIN FINAL RESPONSE]"]
skip = "[END FINAL RESPONSE]"
turn_end = ["<|eom|>", "</s>", "<|end|>"]
section = ["<tool_calls>[{calls}]</tool_calls>", "<tool_calls>{calls}</tool_calls>", "<function_calls>[{calls}]</function_calls>"]
call = "{call}"
join = ", "
`,tool_use:`# Cherry Studio's prompt and its imitations; models mix elements and JSON.
about = "Chat clients for models without tools: a tool_use tag with the name and JSON arguments as elements."
aliases = ["cherry_studio"]
call = ["<tool_use>\\n<name>{name}</name>\\n<arguments>{arguments}</arguments>\\n</tool_use>", "<tool_use>\\n{call}\\n</tool_use>"]
`,use_tool:`# axonhub nanogpt; AI SDK middleware morph-xml. Arguments are attributes, elements, JSON or the text itself.
about = "Gateways and prompts that name tags after tools, or use_tool."
aliases = ["nanogpt", "nanogpt_xml", "morph_xml", "yaml_xml"]
call = [
    "<use_tool name=\\"{name}\\"{attrs}>{params}</use_tool>",
    "<use_tool name=\\"{name}\\"{attrs}>{arguments}</use_tool>",
    "<use_tool name=\\"{name}\\"{attrs}>{content}</use_tool>",
    "<use_tool name=\\"{name}\\"{attrs}/>",
    "<{name}{attrs}/>",
    "<{name}{attrs}>{params}</{name}>",
    "<{name}{attrs}>{arguments}</{name}>",
    "<{name}>\\n{lines}</{name}>",
    "<{name}{attrs}>{content}</{name}>",
    "<function name=\\"{name}\\" arguments='{arguments}'/>",
]
param = "<{key}>{tree:trim,cdata}</{key}>"
`,xlam:`# vLLM xlam, which tries these in order.
about = "xLAM-2: a JSON array of calls, fenced, tagged, marked or bare."
models = ["*xLAM-2-*", "Hammer2*"]
reasoning = "<think>{text}</think>"
turn_end = ["<|im_end|>", "<|eot_id|>"]
section = [
    "\`\`\`{code}\\n[{calls}]\\n\`\`\`",
    "<tool_call>\\n[{calls}]\\n</tool_call>",
    "[TOOL_CALLS][{calls}]",
    "[{calls}]",
]
call = "{call}"
join = ", "
words = { code = ["json", "python", "py", ""] }
`};export{e as default};