//! The corpus: inputs, what they become, and what is said about them.

use super::*;

/// One case of `corpus.txt`.
#[derive(Default)]
struct Case {
    line: usize,
    setup: Setup,
    input: String,
    out: Option<String>,
    say: String,
    end: String,
    skip: bool,
}

fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    let mut case = Case::default();
    for (line, text) in include_str!("../corpus.txt").lines().enumerate() {
        let (word, rest) = text.split_once(' ').unwrap_or((text, ""));
        let plain = rest.replace('⏎', "\n").replace('␉', "\t").replace('␍', "\r");
        match word {
            "" if !case.input.is_empty() => cases.push(std::mem::take(&mut case)),
            "place" => {
                case.setup.place = if rest == "keyword" { ValuePosition::Keyword } else { ValuePosition::Arguments }
            }
            "quote" => case.setup.quote = Some(rest.to_owned()),
            "on" => case.setup.options.repairs = Repairs::safe().with(Code::by_name(rest).unwrap()),
            "off" => case.setup.options.repairs = Repairs::safe().without(Code::by_name(rest).unwrap()),
            "schema" => case.setup.schema = Some(Schema::compile(&serde_json::from_str(rest).unwrap())),
            "in" => (case.input, case.line) = (plain, line + 1),
            "out" => case.out = Some(plain),
            "say" => case.say = rest.to_owned(),
            "end" => case.end = plain,
            "skip" => case.skip = true,
            _ => {}
        }
    }
    cases.retain(|case| !case.skip);
    cases
}

impl Case {
    fn expected(&self) -> &str {
        match self.out.as_deref() {
            Some("=") => &self.input,
            out => out.unwrap_or_default(),
        }
    }

    /// Returns what the case's `end` line should say.
    fn end(&self, said: &Said) -> String {
        let how = match said.end.how {
            Ended::Complete => "",
            Ended::Cut => "cut",
            Ended::Truncated => "truncated",
            Ended::Broken => "broken",
        };
        let rest = &self.input[said.end.at..];
        [how, rest].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
    }
}

#[test]
fn the_corpus_is_read_as_it_says() {
    let mut wrong = String::new();
    for case in cases() {
        let said = case.setup.check(&case.input);
        let (json, codes, end) = (said.json.clone(), said.names(), case.end(&said));
        if json != case.expected() || codes != case.say || end.trim() != case.end.trim() {
            wrong += &format!("line {}: {}\n  out {json}\n  say {codes}\n  end {end}\n", case.line, case.input);
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn the_corpus_is_large_enough() {
    let cases = cases();
    let same = cases.iter().filter(|case| case.out.as_deref() == Some("=") && case.say.is_empty()).count();
    assert!(cases.len() >= 160 && same >= 40, "{} cases, {same} unchanged", cases.len());
}

#[test]
fn a_repair_that_is_switched_off_is_not_made() {
    for case in cases() {
        for name in case.say.split(' ').filter(|name| !name.is_empty()) {
            let code = Code::by_name(name).unwrap();
            if !code.is_repair()
                || matches!(code, Code::Wrapper | Code::DoubleEncoded | Code::WrapScalar | Code::UnwrapObject)
            {
                continue;
            }
            let mut setup = case.setup.clone();
            setup.options.repairs = setup.options.repairs.without(code);
            let said = setup.check(&case.input);
            assert!(said.end.how == Ended::Broken, "without {name}, line {}: {said:?}", case.line);
        }
    }
}
