//! Properties over generated inputs: valid JSON passes, anything else does no harm.

use super::*;

/// A small generator; the same numbers on every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % sides
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.roll(from.len())]
    }

    fn blank(&mut self) -> &'static str {
        self.pick(&["", "", "", " ", "\n", "  ", "\t", "\r\n"])
    }

    fn string(&mut self) -> String {
        let mut out = String::from("\"");
        for _ in 0..self.roll(6) {
            out += self.pick(&[
                "a",
                "b c",
                "é",
                "😀",
                "\\\"",
                "\\\\",
                "\\/",
                "\\n",
                "\\u00e9",
                "\\ud83d",
                "\\uD83D\\uDE00",
                "{",
                "}",
                "[",
                "]",
                ",",
                ":",
                "'",
                "`",
                "“",
                "//",
                "#",
                "/*",
                "</tool_call>",
                "<tool_call>{",
                "<",
                "```",
                "<|",
                "\\\", \\\"k\\\": ",
                "True",
                "\u{7f}",
                "=",
            ]);
        }
        out + "\""
    }

    fn value(&mut self, depth: usize) -> String {
        match self.roll(if depth == 0 { 6 } else { 10 }) {
            0 => self.pick(&["true", "false", "null"]).to_owned(),
            1 | 2 => self
                .pick(&["0", "-0", "12", "-3.5", "1e5", "1E-7", "0.10", "123456789012345678901234567890", "-1.5e+10"])
                .to_owned(),
            3..6 => self.string(),
            6 | 7 => self.list(depth, '[', ']', |dice, depth| dice.value(depth)),
            _ => self.list(depth, '{', '}', |dice, depth| {
                let (key, before, after) = (dice.string(), dice.blank(), dice.blank());
                format!("{key}{before}:{after}{}", dice.value(depth))
            }),
        }
    }

    fn list(&mut self, depth: usize, open: char, close: char, member: fn(&mut Self, usize) -> String) -> String {
        let mut out = format!("{open}{}", self.blank());
        for index in 0..self.roll(4) {
            let (before, after) = (self.blank(), self.blank());
            let comma = if index > 0 { format!("{before},{after}") } else { String::new() };
            out += &comma;
            out += &member(self, depth - 1);
        }
        out + self.blank() + &close.to_string()
    }
}

#[test]
fn valid_json_passes_byte_for_byte() {
    let mut dice = Dice(7);
    for round in 0..3000 {
        let text = dice.value(4);
        assert!(is_json(&text), "{text}");
        for tags in [true, false] {
            let setup = Setup { tags, ..Setup::default() };
            let said = if round % 10 == 0 { setup.check(&text) } else { setup.whole(&text) };
            assert_eq!(
                (said.json.as_str(), said.end, said.codes.len()),
                (text.as_str(), ValueOutcome { at: text.len(), how: Ended::Complete }, 0)
            );
        }
    }
}

#[test]
fn valid_arguments_and_keywords_pass_too() {
    let mut dice = Dice(11);
    for _ in 0..500 {
        let text = dice.value(3);
        for (place, quote) in [
            (ValuePosition::Keyword, None),
            (ValuePosition::Arguments, None),
            (ValuePosition::Value, Some("<|\"|>".to_owned())),
        ] {
            let fits = place != ValuePosition::Arguments || text.starts_with('{');
            if fits {
                let setup = Setup { place, quote, ..Setup::default() };
                let said = setup.whole(&text);
                assert_eq!((said.json.as_str(), said.end.how), (text.as_str(), Ended::Complete));
            }
        }
    }
}

#[test]
fn no_input_does_harm() {
    let mut dice = Dice(23);
    for round in 0..4000 {
        let mut text = dice.value(3);
        for _ in 0..=dice.roll(3) {
            let places: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
            let at = places.get(dice.roll(places.len() + 1)).copied().unwrap_or(text.len());
            match dice.roll(3) {
                0 => drop(text.drain(at..).next()),
                1 if at < text.len() => drop(text.remove(at)),
                _ => text.insert_str(
                    at,
                    dice.pick(&[
                        "\"",
                        "'",
                        "{",
                        "}",
                        "]",
                        ",",
                        "\\",
                        "</tool_call>",
                        "<",
                        "“",
                        "\"\"\"",
                        "/",
                        "#",
                        "1",
                        "x",
                        "(",
                        ")",
                        "\n",
                        "`",
                    ]),
                ),
            }
        }
        let place = [ValuePosition::Value, ValuePosition::Keyword, ValuePosition::Arguments][dice.roll(3)];
        let repairs = if dice.roll(2) == 0 { Repairs::safe() } else { Repairs::all() };
        let quote = (dice.roll(3) == 0).then(|| "<|\"|>".to_owned());
        let schema = (dice.roll(3) == 0).then(|| {
            Schema::compile(&serde_json::json!({"properties": {"a": {"type": "integer"}, "b": {"type": "array"}}}))
        });
        let setup = Setup { place, quote, schema, options: Options::default().with_repairs(repairs), tags: true };
        if round % 8 == 0 {
            setup.check(&text)
        } else {
            setup.whole(&text)
        };
    }
}

#[test]
fn depth_is_bounded() {
    let limits = Limits::default().with_depth(100);
    let setup = Setup { options: Options::default().with_limits(limits), ..Setup::default() };
    for open in ["[", "{\"a\":", "[{\"a\":"] {
        let said = setup.whole(&open.repeat(100_000));
        assert_eq!((said.end.how, said.names().as_str()), (Ended::Truncated, "limit_depth"));
        assert!(said.json.starts_with(open), "{}", said.json);
    }
    let deep = format!("{}{}", "[".repeat(100), "]".repeat(100));
    assert_eq!(setup.whole(&deep).json, deep);
}

#[test]
fn length_is_bounded() {
    let limits = Limits::default().with_arguments(10);
    let setup = Setup { options: Options::default().with_limits(limits), ..Setup::default() };
    let said = setup.check("{\"a\": \"éééééééé\", \"b\": 1}");
    assert_eq!((said.json.as_str(), said.end.how), ("{\"a\": \"éé", Ended::Truncated));
}

#[test]
fn long_inputs_take_linear_time() {
    let pieces = [
        "\" ",
        "\",",
        "</tool_call>",
        "</tool_call> ",
        "<tool_call>",
        "\\",
        "\"/*",
        "\"//",
        "\" # ",
        "} ",
        "]",
        "\"a\" ",
        "{{",
        "((",
        "'",
        "\"\"\"",
        "\n",
        "<",
        ",\"'",
        "\"'`",
        "a,",
        "a ",
        "'a' 'b' ",
        "<|\"|>",
        "“",
        "//\n",
        "/**/",
        "\\n",
        "\": ",
        ", x",
        "x: ",
        "\"}",
        "\"]",
        "\", \"",
        "=",
        "\"<tool_call>",
        "”, ",
        "”}",
        "“”:",
        "\\\"",
        "\\\\\"",
        "\"\"",
        "(\"a\"",
        "('a' ",
        ",",
    ];
    for piece in pieces {
        for head in ["{\"a\": \"", "{\"a\": x", "[", "{", "{'a': '", "{\"a\": <|\"|>", "{\\\"a\\\": ", "{“a”: “"]
        {
            for (quote, repairs) in [(None, Repairs::safe()), (Some("<|\"|>".to_owned()), Repairs::all())] {
                let options = Options::default().with_repairs(repairs).with_limits(Limits::default().with_depth(100));
                let setup = Setup { quote, options, ..Setup::default() };
                let start = std::time::Instant::now();
                setup.whole(&format!("{head}{}", piece.repeat(20_000)));
                let spent = start.elapsed();
                assert!(spent.as_secs() < 3, "{head} {piece}: {spent:?}");
            }
        }
    }
}

fn whole(text: &str) -> Option<WholeValue> {
    let options = Options::default();
    read_whole(
        text,
        ValuePosition::Value,
        None,
        &Context { markers: &NoMarkers, schema: None, options: &options, quote: None, given: None },
    )
}

#[test]
fn whole_texts_are_one_value_or_none() {
    assert_eq!(whole(" {'a': 1} \n").map(|whole| whole.json).as_deref(), Some("{\"a\": 1}"));
    assert_eq!(whole("{\"a\": 1}}").map(|whole| whole.repairs.len()), Some(1));
    for text in ["", " ", "{\"a\": 1", "{} {}", "hello", "{\"a\": 1} x"] {
        assert!(whole(text).is_none(), "{text}");
    }
}

#[test]
fn keys_are_seen_ahead() {
    let ahead = |text| key_ahead(View::whole(text), 1, Some("<|\"|>"));
    for text in ["{}", "{ }", "{\"a\":", "{\n 'a b' :", "{a:", "{<|\"|>a<|\"|>:", "{\"a\"=1", "{“a”:"] {
        assert_eq!(ahead(text), Ok(true), "{text}");
    }
    for text in ["{", "{x", "{ return 1; }", "{\"a\"", "{\"a\nb\":", "{1, 2}", "{{"] {
        assert_eq!(ahead(text), Ok(false), "{text}");
    }
    for (text, whole) in [("{", false), ("{ ", false), ("{\"a", false), ("{\"a\" ", false), ("{}", true)] {
        let open = key_ahead(View::new(text, 0, false), 1, None);
        assert_eq!(open.is_ok(), whole, "{text}");
    }
    let long = format!("{{\"{}\":", "a".repeat(300));
    assert_eq!(key_ahead(View::whole(&long), 1, None), Ok(false));
}

#[test]
fn nothing_is_held_without_need() {
    let setup = Setup::default();
    let context = Context { markers: &Tags, schema: None, options: &setup.options, quote: None, given: None };
    let (mut sink, mut reader) = (Sink::new(setup.options.repairs), JsonReader::new(0, ValuePosition::Arguments, None));
    let mut read = |text: &str, json: &str, anchor: usize| {
        let view = View::new(&text[reader.anchor()..], reader.anchor(), false);
        let end = reader.resume(view, &context, &mut sink);
        assert_eq!((sink.words.as_str(), reader.anchor()), (json, anchor), "{text}");
        end
    };
    for (text, json, anchor) in [
        ("{\"a\": ", "{\"a\": ", 6),
        ("{\"a\": \"long text", "{\"a\": \"long text", 16),
        ("{\"a\": \"long text\\", "{\"a\": \"long text", 16),
        ("{\"a\": \"long text\\n", "{\"a\": \"long text\\n", 18),
        ("{\"a\": \"long text\\n\"", "{\"a\": \"long text\\n", 18),
        ("{\"a\": \"long text\\n\", \"b\"", "{\"a\": \"long text\\n", 18),
        ("{\"a\": \"long text\\n\", \"b\":", "{\"a\": \"long text\\n\", \"b\":", 25),
    ] {
        assert_eq!(read(text, json, anchor), Err(NotYet));
    }
    let whole = "{\"a\": \"long text\\n\", \"b\":\"\"}";
    assert_eq!(read(whole, whole, whole.len()), Ok(ValueOutcome { at: whole.len(), how: Ended::Complete }));
}

#[test]
fn a_value_too_long_to_hold_passes_as_it_is() {
    let schema =
        Schema::compile(&serde_json::json!({"properties": {"n": {"type": "integer"}, "s": {"type": "string"}}}));
    let options = Options::default().with_limits(Limits::default().with_held(8));
    let setup = Setup { place: ValuePosition::Arguments, schema: Some(schema), options, ..Setup::default() };
    for text in ["{\"n\": \"12345678\"}", "{\"s\": {\"a\": [1, 2, 3]}}", "{\"arguments\": {\"n\": 1}}"] {
        let said = setup.check(text);
        assert_eq!((said.json.as_str(), said.end.how), (text, Ended::Complete));
        assert!(said.names().starts_with("limit_held"), "{}", said.names());
    }
}

#[test]
fn a_lenient_caller_hears_of_misfits_and_nothing_is_converted() {
    let schema =
        Schema::compile(&serde_json::json!({"properties": {"n": {"type": "integer"}, "s": {"type": "string"}}}));
    let options = Options::default().with_validation(crate::options::Validation::Lenient);
    let setup = Setup { place: ValuePosition::Arguments, schema: Some(schema), options, ..Setup::default() };
    let text = "{\"n\": \"5\", \"s\": 5, \"n\": [], \"s\": {}}";
    let said = setup.check(text);
    assert_eq!((said.json.as_str(), said.end.how), (text, Ended::Complete));
    let misfits = said.codes.iter().filter(|(code, ..)| *code == Code::TypeMismatch).count();
    assert_eq!(misfits, 4, "{}", said.names());
}

#[test]
fn a_keyword_is_converted_by_its_own_schema() {
    let schema = Schema::compile(&serde_json::json!({"properties": {"n": {"type": "integer"}}}));
    let node = schema.root().property("n").map(|node| node.id());
    let options = Options::default();
    let context = Context { markers: &NoMarkers, schema: Some(&schema), options: &options, quote: None, given: None };
    let whole = read_whole("'5'", ValuePosition::Keyword, node, &context).unwrap();
    assert_eq!((whole.json.as_str(), whole.repairs.len()), ("5", 1));
}
