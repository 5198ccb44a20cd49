//! Examples, and the files that they make.

use super::*;

fn made(text: &str, calls: &[(&str, &str)]) -> String {
    let example = Example::new(text).with_about("Mine.");
    let example = calls.iter().fold(example, |all, (name, arguments)| all.with_call(name, arguments));
    sketch("mine", &example).unwrap_or_else(|why| panic!("{text}: {why}"))
}

#[test]
fn every_kind_of_body_is_found() {
    let one = r#"{"city": "Paris", "days": 3}"#;
    for (text, call) in [
        ("<<call:weather {\"city\": \"Paris\", \"days\": 3}>>", "<<call:{name} {arguments}>>"),
        ("@@run {\"tool\": \"weather\", \"input\": {\"city\": \"Paris\", \"days\": 3}} @@end", "@@run {call} @@end"),
        ("#weather(city=\"Paris\", days=3)#", "#{name}({kwargs})#"),
        ("<<weather>>\n[city]Paris[/city]\n[days]3[/days]\n<<end>>", "<<{name}>>\n{params}<<end>>"),
        ("%weather%\ncity: Paris\ndays: 3\n%%", "%{name}%\n{lines}\n%%"),
    ] {
        let made = made(text, &[("weather", one)]);
        assert!(made.contains(&call.replace('\n', "\\n")), "{text} gave\n{made}");
    }
}

#[test]
fn parameters_may_be_in_any_order() {
    let one = r#"{"tea": "oolong", "minutes": 3, "cup": "c"}"#;
    for (text, call) in [
        ("#brew(tea=\"oolong\", minutes=3, cup=\"c\")#", "#{name}({kwargs})#"),
        ("<go brew><tea>oolong</tea><minutes>3</minutes><cup>c</cup></go>", "<go {name}>{params}</go>"),
        ("%brew%\ntea: oolong\nminutes: 3\ncup: c\n%%", "%{name}%\n{lines}\n%%"),
    ] {
        let made = made(text, &[("brew", one)]);
        assert!(made.contains(&call.replace('\n', "\\n")), "{text} gave\n{made}");
    }
}

#[test]
fn two_calls_tell_the_section_from_the_call() {
    let text = "<<begin>>\n<<call:a {\"x\": 1}>>\n<<call:b {\"y\": 2}>>\n<<end>>";
    let made = made(text, &[("a", r#"{"x": 1}"#), ("b", r#"{"y": 2}"#)]);
    assert!(made.contains("section = \"<<begin>>\\n{calls}\\n<<end>>\""), "{made}");
    assert!(made.contains("call    = \"<<call:{name} {arguments}>>\""), "{made}");
}

#[test]
fn what_cannot_be_is_said() {
    let why = |text, arguments| sketch("mine", &Example::new(text).with_call("a", arguments)).unwrap_err();
    assert_eq!(why("nothing of it", r#"{"x": 1}"#), SketchError::NotFound);
    assert_eq!(sketch("mine", &Example::new("no call is meant")), Err(SketchError::NotFound));
    for arguments in ["[1]", "{x: 1}", "nothing"] {
        let told = why("a {}", arguments).to_string();
        assert!(told.starts_with("the arguments of `a` ") && told.contains("write an object"), "{told}");
    }
    let told = why("{\"x\": 1}a", r#"{"x": 1}"#);
    assert!(matches!(&told, SketchError::Unread { nearest, .. } if nearest.contains("{arguments}{name}")), "{told:?}");
    assert!(told.to_string().starts_with("no pattern reads the example back"), "{told}");
}

#[test]
fn what_prose_never_contains_is_declared() {
    let example = Example::new("::ls:: {} ::end::").with_call("ls", "");
    let strong = sketch("mine", &example.clone().with_strong(true)).unwrap();
    assert_eq!(strong, format!("about   = \"\"\nstrong  = [\"::\"]\n{}", &sketch("mine", &example).unwrap()[13..]));
}

/// Examples come from people: any text with any meaning is read back or refused.
#[test]
fn any_example_is_read_back_or_refused() {
    const PIECES: [&str; 16] =
        ["<", "a", ">", " ", "{\"k\": \"é\"}", "</", "k", "=", "é", "{", "}", "\n", "{key}", "\"", "[", ":"];
    let mut state = 7_u64;
    let mut next = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 33) as usize % below
    };
    let mut read = 0;
    for _ in 0..3000 {
        let length = 1 + next(12);
        let text: String = (0..length).map(|_| PIECES[next(PIECES.len())]).collect();
        let arguments = ["{}", r#"{"k": "é"}"#, r#"{"k": 1}"#, r#"{"": ""}"#, r#"{"key": "a", "k": "<"}"#][next(5)];
        let example = Example::new(&text).with_call(["a", "", "é"][next(3)], arguments);
        let example = if next(3) == 0 { example.with_call("k", "{}") } else { example };
        read += usize::from(sketch("mine", &example).is_ok());
    }
    assert!(read > 0, "no example was read");
}
