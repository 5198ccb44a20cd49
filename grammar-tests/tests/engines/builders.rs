//! The structural tags that others build for 20 models, beside those of our dialects: what theirs let through is read, what
//! ours write is offered to them, and both follow the same texts.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use toolglot::{Dialect, Dialects};
use toolglot_grammar::GrammarToolChoice;
use toolglot_grammar_tests::{Engine, Xgrammar};
use toolglot_json::Value;
use xgrammar_structural_tag::builders::{ReasoningMode, StructuralTagOptions};
use xgrammar_structural_tag::{
    FunctionDefinition, FunctionToolParam, Model, ToolChoice, ToolParam, build_structural_tag,
};

use crate::gbnf::Matcher;
use crate::random::Random;
use crate::setting::{Setting, number, toolsets};
use crate::walker::{led, markers};

/// Their models, and the dialects that these write.
const MODELS: [(Model, &str); 20] = [
    (Model::Llama, "llama3_json"),
    (Model::Kimi, "kimi_k2"),
    (Model::KimiK3, "kimi_k3"),
    (Model::DeepSeekR1, "deepseek_v3"),
    (Model::DeepSeekV31, "deepseek_v3_1"),
    (Model::Qwen35, "qwen3_coder"),
    (Model::Qwen3Coder, "qwen3_coder"),
    (Model::Mimo, "mimo"),
    (Model::Qwen3, "hermes"),
    (Model::Harmony, "harmony"),
    (Model::DeepSeekV32, "deepseek_v3_2"),
    (Model::Minimax, "minimax_m2"),
    (Model::MinimaxM3, "minimax_m3"),
    (Model::Glm47, "glm47"),
    (Model::DeepSeekV4, "deepseek_v4"),
    (Model::DeepSeekV41, "deepseek_v4_1"),
    (Model::Cohere, "cohere_command"),
    (Model::Exaone, "hermes"),
    (Model::Hermes, "hermes"),
    (Model::HyV3, "hy_v3"),
];

/// Lists of tools without a trap that their schemas do not know.
const LISTS: [&str; 5] = ["code", "nested", "nothing", "optional", "plain"];

/// What came of one model.
#[derive(Default)]
struct Row {
    walks: usize,
    ended: usize,
    /// Why walks are not read, and how many for each reason.
    unread: BTreeMap<String, usize>,
    /// Walks that our grammar has, too.
    shared: usize,
    messages: usize,
    accepted: usize,
    theirs: Pace,
    ours: Pace,
    examples: Vec<String>,
}

/// How long an engine takes for the bytes of its texts.
#[derive(Default)]
struct Pace {
    bytes: usize,
    time: Duration,
}

/// `GRAMMAR_BUILDERS` texts of each model and list of tools are compared, and the table is printed.
#[test]
fn tags_of_other_builders_are_compared() {
    let dialects = Dialects::builtin();
    println!(
        "| model | dialect | their walks | not read | also in ours | our messages they take | µs a byte: theirs, ours | ratio |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    let mut examples = Vec::new();
    for (model, name) in MODELS {
        let row = compared(model, dialects.get(name).unwrap(), number("GRAMMAR_BUILDERS", 1));
        println!("| `{}` | `{name}` | {row} |", model.as_str());
        assert!(row.ended > 0 && row.messages > 0, "{name}: nothing is compared");
        examples.extend(row.examples.iter().map(|example| format!("{}: {example}", model.as_str())));
    }
    println!("{}", examples.join("\n"));
}

fn compared(model: Model, dialect: &Arc<Dialect>, count: u64) -> Row {
    let mut row = Row::default();
    for (list, tools) in toolsets().into_iter().filter(|(list, _)| LISTS.contains(&list.as_str())) {
        let setting = Setting::new(dialect, &tools, &GrammarToolChoice::Required, &list);
        let with_text = Setting::new(dialect, &tools, &GrammarToolChoice::Auto, &list);
        let tags = [their_tag(model, &setting), setting.grammar.to_structural_tag().to_string()];
        let [mut theirs, mut ours] = tags.each_ref().map(|tag| Xgrammar::new(tag).unwrap());
        for seed in 0..count {
            let walk = |engine: &mut Xgrammar, tag: &str| {
                led(engine, Some(Matcher::new(&with_text.gbnf)), &markers(tag), &mut Random::new(seed + 3))
            };
            let text = walk(&mut theirs, &tags[0]);
            row.theirs.add(&mut theirs, text.as_deref());
            row.walked(&setting, &with_text, text);
            let text = walk(&mut ours, &tags[1]);
            row.ours.add(&mut ours, text.as_deref());
            let mut message = setting.read(&setting.walk(seed * 31 + 7));
            message.reasoning.clear();
            if let Some(text) = setting.rendered(&message) {
                row.messages += 1;
                row.accepted += usize::from(theirs.accepts(&text).is_ok());
                row.examples.extend(theirs.accepts(&text).err().map(|why| format!("message: {why}\n    {text:?}")));
            }
        }
    }
    row
}

impl Row {
    fn walked(&mut self, setting: &Setting, with_text: &Setting, walk: Option<String>) {
        self.walks += 1;
        let Some(text) = walk else { return };
        self.ended += 1;
        self.shared += usize::from(with_text.gbnf.accepts(&text).is_ok());
        if let Some(why) = setting.wrong(&text) {
            let kind = why.split(':').next().unwrap_or_default();
            *self.unread.entry(kind.to_owned()).or_default() += 1;
            self.examples.push(format!("walk: {why}\n    {text:?}"));
        }
    }
}

impl fmt::Display for Row {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { walks, ended, unread, shared, messages, accepted, theirs, ours, .. } = self;
        let unread: Vec<String> = unread.iter().map(|(why, count)| format!("{count} {why}")).collect();
        let (theirs, ours) = (theirs.step(), ours.step());
        write!(out, "{ended} of {walks} | {} | {shared} | {accepted} of {messages} | ", unread.join(", "))?;
        write!(out, "{theirs:.1}, {ours:.1} | {:.1}", ours / theirs)
    }
}

impl Pace {
    /// Lets an engine say, for each byte of a text, what may come next, and take it.
    fn add(&mut self, engine: &mut Xgrammar, text: Option<&str>) {
        let Some(text) = text else { return };
        engine.restart();
        let started = Instant::now();
        for byte in text.bytes() {
            engine.mask();
            engine.take(byte);
        }
        self.time += started.elapsed();
        self.bytes += text.len();
    }

    /// Returns the microseconds for one byte.
    fn step(&self) -> f64 {
        self.time.as_secs_f64() * 1e6 / self.bytes.max(1) as f64
    }
}

fn their_tag(model: Model, setting: &Setting) -> String {
    let tools: Vec<ToolParam> = setting
        .declared
        .iter()
        .map(|tool| {
            let parameters = tool.parameters.clone().unwrap_or(Value::Null);
            let function = FunctionDefinition::new(&tool.name).with_parameters((&parameters).into());
            ToolParam::Function(FunctionToolParam::new(function))
        })
        .collect();
    let options = StructuralTagOptions::default().with_reasoning(ReasoningMode::Auto);
    build_structural_tag(model, &tools, ToolChoice::required(), options).unwrap().to_json_string().unwrap()
}
