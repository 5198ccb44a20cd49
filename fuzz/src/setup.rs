//! How a parser is set up, out of the first bytes of an input.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, LazyLock};

use arbitrary::Arbitrary;
use toolglot::{
    CallsInReasoning, Dialect, Dialects, Evidence, FinishReason, Frame, Limits, Options, Repairs, Tools, UnknownTool,
    Untyped, Validation,
};

/// The first bytes of an input that is a message.
#[derive(Arbitrary, Clone, Copy, Debug, Default)]
pub(crate) struct Head {
    /// How many dialects are read: all, one, two.
    pub(crate) set: u8,
    /// The dialect that the message's pieces are of.
    pub(crate) home: u8,
    pub(crate) tools: u8,
    pub(crate) policies: [u8; 4],
    pub(crate) repairs: u8,
    pub(crate) limits: [u8; 2],
    /// Where the message is cut.
    pub(crate) cuts: u16,
}

/// The bytes that a [`Head`] takes.
pub(crate) const HEAD: usize = 12;

/// One way to run the parser.
pub(crate) struct Setup {
    pub(crate) home: usize,
    pub(crate) dialects: Dialects,
    pub(crate) tools: Tools,
    pub(crate) options: Options,
}

impl Head {
    /// Returns what the bytes choose; `small` are limits that messages reach.
    pub(crate) fn setup(&self, small: bool) -> Setup {
        let home = usize::from(self.home) % Dialects::builtin().len();
        Setup {
            home,
            dialects: dialects(usize::from(self.set % 4), home),
            tools: TOOLS[usize::from(self.tools) % TOOLS.len()].clone(),
            options: self.options(small || self.limits[0] % 4 == 1),
        }
    }

    pub(crate) fn options(&self, small: bool) -> Options {
        use {CallsInReasoning as Inside, Evidence as E, FinishReason as Why, Validation as V};
        let [first, second, third, fourth] = self.policies;
        let options = Options::default()
            .with_validation(pick(first, &[V::Coerce, V::Coerce, V::Lenient, V::Strict]))
            .with_evidence(pick(first >> 2, &[E::Balanced, E::Balanced, E::Strict, E::Eager]))
            .with_untyped(pick(first >> 4, &[Untyped::Infer, Untyped::String]))
            .with_unknown_tool(pick(first >> 5, &[UnknownTool::Call, UnknownTool::Text]))
            .with_calls_in_reasoning(pick(second, &[Inside::Wait, Inside::Wait, Inside::End, Inside::Quote]))
            .with_frame(pick(second >> 2, &[Frame::Template, Frame::Template, Frame::Template, Frame::Exact]))
            .with_reasoning_open(second >> 2 & 7 == 1)
            .with_accept_incomplete(second >> 5 == 1)
            .with_finish_reason(pick(third, &[None, None, None, Some(Why::Length), Some(Why::Stop)]))
            .with_id_seed(fourth.into())
            .with_marked_tokens(self.marks_tokens())
            .with_repairs(self.repairs());
        let limits = |by: u8| [1, 8, 20, 64, 300][usize::from(by % 5)];
        match small {
            true => options.with_limits(
                Limits::default()
                    .with_held(limits(self.limits[0] / 4) + 16)
                    .with_arguments(limits(self.limits[1]))
                    .with_depth(limits(self.limits[1] / 5) / 8 + 1)
                    .with_calls(limits(self.limits[1] / 25) / 8),
            ),
            false => options,
        }
    }

    /// Says whether special tokens come marked as such.
    pub(crate) fn marks_tokens(&self) -> bool {
        self.set & 0x1C == 0x10
    }

    fn repairs(&self) -> Repairs {
        pick(self.repairs, &[Repairs::safe(), Repairs::safe(), Repairs::all(), Repairs::NONE])
    }
}

fn pick<T: Copy>(by: u8, from: &[T]) -> T {
    from[usize::from(by) % from.len()]
}

impl fmt::Debug for Setup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.dialects.iter().map(|dialect| dialect.name()).collect();
        let tools: Vec<&str> = self.tools.names().collect();
        let names = if names.len() > 2 { "all".to_owned() } else { names.join(", ") };
        write!(f, "dialects {names}; tools {tools:?}\n{:?}", self.options)
    }
}

/// Returns the dialect of a number.
pub(crate) fn dialect(number: usize) -> Arc<Dialect> {
    let builtin = Dialects::builtin();
    let mut all = builtin.iter();
    Arc::clone(all.nth(number % builtin.len()).expect("the number is below their count"))
}

/// Returns the dialects that are read, compiled once: all, or that of a number, or it and its neighbour.
pub(crate) fn dialects(set: usize, home: usize) -> Dialects {
    thread_local! {
        static KNOWN: RefCell<HashMap<(usize, usize), Dialects>> = RefCell::default();
    }
    let make = || match set {
        0 => Dialects::builtin(),
        1 => [dialect(home), dialect(home + 1)].into_iter().collect(),
        _ => [dialect(home)].into_iter().collect(),
    };
    KNOWN.with_borrow_mut(|known| known.entry((set, home)).or_insert_with(make).clone())
}

/// No tools, those of the case files, and such as are declared carelessly.
static TOOLS: LazyLock<[Tools; 4]> = LazyLock::new(|| {
    let cases = include_str!("../../crates/toolglot/tests/cases/tools.json");
    [cases, "", CARELESS, cases].map(|text| Tools::from_json_str(text).expect("they are tools"))
});

const CARELESS: &str = r##"[
    {"name": "ls"},
    {"name": "note", "parameters": {}},
    {"name": "search", "parameters": {"type": "object", "properties": {
        "query": {"anyOf": [{"type": "string"}, {"type": "null"}]}, "limit": {"type": ["integer", "null"]},
        "x": {"$ref": "#/$defs/x"}, "tags": {"type": "array", "items": {"type": "string"}}},
        "$defs": {"x": {"type": "object", "properties": {"x": {"$ref": "#/$defs/x"}, "path": {"enum": ["src", 5]}}}},
        "additionalProperties": false, "required": ["query"]}},
    {"name": "ping", "parameters": {"type": "object", "properties": {}, "additionalProperties": false}},
    {"name": "write_file", "parameters": {"type": "object", "properties": {
        "path": {"type": "string"}, "content": {"type": "string"}, "mode": {"type": "number"}, "force": {"type": "boolean"},
        "edits": {"type": "array", "items": {"type": "object", "properties": {"old": {"type": "string"}}}}}}},
    {"name": "functions.Read-File_2", "parameters": {"type": "object", "properties": {"path": {"const": "src"}}}}
]"##;
