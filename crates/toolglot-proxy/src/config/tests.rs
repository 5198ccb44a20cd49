//! Tests of the settings: what wins, and what is said about wrong ones.

use super::*;

fn scratch(name: &str, text: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("toolglot-config-{}-{name}.toml", std::process::id()));
    std::fs::write(&path, text).unwrap();
    path
}

fn load(name: &str, file: &str, environment: &[(&str, &str)], flags: &[(&str, &str)]) -> Result<Config, ConfigError> {
    let path = scratch(name, file);
    let pair = |(key, value): &(&str, &str)| ((*key).to_owned(), (*value).to_owned());
    let flag = |(key, value): &(&str, &str)| ((*key).to_owned(), (*value).to_owned(), format!("`--{key}`"));
    let config = Config::load(&Sources {
        file: Some(path.clone()),
        environment: environment.iter().map(pair).collect(),
        flags: flags.iter().map(flag).collect(),
    });
    std::fs::remove_file(path).unwrap();
    config
}

/// What documents show as a line of a file is pasted behind a flag.
#[test]
fn a_flag_or_a_variable_takes_lists_and_tables_as_a_file_has_them() {
    for (said, wanted) in [("a, b", &["a", "b"][..]), (" [\"a\", 'b']", &["a", "b"]), ("[]", &[])] {
        let config = load("lists", FILE, &[("TOOLGLOT_HOSTS", said)], &[]).unwrap();
        assert_eq!(config.server.hosts, wanted, "{said}");
    }
    let error = load("unclosed", FILE, &[], &[("hosts", "[\"a\"")]).unwrap_err().to_string();
    assert!(error.contains("`--hosts`: unclosed array"), "{error}");
    let config = load("tables", FILE, &[], &[("upstream.headers", "{ x-a = \"b\", \"x-c\" = 'd' }")]).unwrap();
    let headers = &config.upstreams[0].headers.0;
    let told: Vec<_> = headers.iter().map(|(name, value)| (name.as_str(), value.get())).collect();
    assert_eq!(told, [("x-a", Some("b")), ("x-c", Some("d"))]);
}

const FILE: &str = "listen = '127.0.0.1:1'\n[limits]\nbody = '1 MiB'\ncalls = 3\n[[upstream]]\nurl = 'http://a'\n";

#[test]
fn flags_win_over_the_environment_and_that_over_the_file() {
    let environment = [("TOOLGLOT_LIMITS_BODY", "2 MiB"), ("TOOLGLOT_LISTEN", "127.0.0.1:2")];
    let config = load("order", FILE, &environment, &[("listen", "127.0.0.1:3")]).unwrap();
    assert_eq!(config.server.listen, "127.0.0.1:3");
    assert_eq!((config.limits.body.0, config.limits.calls, config.limits.depth), (2 << 20, 3, 128));
    let shown = config.show();
    assert!(shown.contains("listen = \"127.0.0.1:3\"  # `--listen`"), "{shown}");
    assert!(shown.contains("body = \"2 MiB\"  # environment variable `TOOLGLOT_LIMITS_BODY`"), "{shown}");
    assert!(shown.contains("order.toml:4"), "{shown}");
}

#[test]
fn a_wrong_setting_is_named_with_its_line_and_what_to_write() {
    for (file, wanted) in [
        ("listne = 'x'", ":1: unknown setting `listne`; did you mean `listen`?"),
        ("\n[limits]\nbody = '3 apples'", ":3: `body`: `3 apples` is not a size; use a value such as `32 MiB`"),
        ("[limits]\nbdy = 1", ":2: unknown setting `bdy` in `limits`; did you mean `body`?"),
        ("[limits]\nnothing_like_it = 1", ":2: unknown setting `nothing_like_it` in `limits`; use one of body,"),
        ("[upstream]\nurl = 'x'", ":1: expected an array of tables; use `[[upstream]]`"),
        ("[[upstream]]\nprotocol = 'soap'", "unknown value `soap`; use one of auto, chat, responses, messages"),
        ("[[route]]\nrepairs = 'magic'", "`repairs`: unknown repair `magic`"),
        ("keys = ['${NO_SUCH_VARIABLE_HERE}']", "environment variable `NO_SUCH_VARIABLE_HERE` is not set"),
        ("listen = [", ":1: "),
        ("[[upstream]]\nurl = 'a'\n[[upstream]]\nname = 'default'", ":4: two upstreams are named `default`"),
        ("[[upstream]]\n[[route]]\nmodels = []", ":3: no models; use `*` for all"),
        (
            "[[upstream]]\n[[route]]\n[[route]]\nmodels = 'a'",
            ":4: never reached: earlier routes match all these models",
        ),
        ("", "no model server; set one with `--upstream"),
    ] {
        let error = load("wrong", file, &[], &[]).unwrap_err().to_string();
        assert!(error.contains(wanted), "{file:?} says {error:?}");
    }
    let error = load("variable", FILE, &[("TOOLGLOT_TIMEOUTS_IDLE", "soon")], &[]).unwrap_err().to_string();
    assert!(error.starts_with("environment variable `TOOLGLOT_TIMEOUTS_IDLE`: `soon` is not a duration"), "{error}");
    let error = load("flag", FILE, &[], &[("limits.bdy", "1")]).unwrap_err().to_string();
    assert!(error.contains("unknown setting `limits.bdy`; did you mean `limits.body`?"), "{error}");
}

#[test]
fn what_is_said_of_all_routes_holds_for_unnamed_models_too() {
    let file = format!("{FILE}[[route]]\nmodels = 'qwen*'\ndialect = 'hermes'\n");
    let config = load("routes", &file, &[], &[("route.dialect", "kimi_k2")]).unwrap();
    let routes: Vec<_> = config.routes.iter().map(|route| (route.models.join(","), route.dialect.join(","))).collect();
    assert_eq!(routes, [("qwen*".into(), "kimi_k2".into()), ("*".into(), "kimi_k2".into())] as [(String, String); 2]);
}

#[test]
fn one_url_leaves_one_server() {
    let file = format!("{FILE}[[upstream]]\nname = 'b'\nurl = 'http://b'\n");
    let config = load("url", &file, &[("TOOLGLOT_UPSTREAM", "http://c")], &[]).unwrap();
    let urls: Vec<_> = config.upstreams.iter().map(|upstream| upstream.url.0.as_str()).collect();
    assert_eq!(urls, ["http://c"]);
}

#[test]
fn secrets_are_not_shown_and_unknown_variables_are_mentioned() {
    let file =
        "keys = ['sesame', 'open']\n[[upstream]]\nurl = 'http://a'\nkey = 'hidden'\nheaders = { x-a = 'secret' }\n";
    let config = load("secrets", file, &[("TOOLGLOT_LISTNE", "x")], &[]).unwrap();
    let shown = config.show() + &format!("{config:?}");
    assert!(
        ["sesame", "open", "hidden", "secret"].iter().all(|word| !shown.contains(&format!("\"{word}\""))),
        "{shown}"
    );
    assert_eq!(config.unknown(), ["unknown setting `TOOLGLOT_LISTNE`; did you mean `TOOLGLOT_LISTEN`?"]);
}

#[test]
fn what_is_shown_can_be_read_again() {
    let shown = load("shown", FILE, &[], &[]).unwrap().show();
    assert_eq!(load("again", &shown, &[], &[]).unwrap().show().matches(" = ").count(), shown.matches(" = ").count());
}

#[test]
fn every_default_can_be_read() {
    for section in sections() {
        let mut config = Config::default();
        (section.add)(&mut config);
        for key in section.keys {
            assert_eq!((key.set)(&mut config, 0, Raw::Text(key.default)), Ok(()), "{}", key.name);
        }
    }
}

#[test]
fn schema_and_reference_have_every_key() {
    let (schema, reference) = (schema(), reference());
    assert_eq!(schema["properties"]["limits"]["properties"]["body"]["description"], "Size of a request body.");
    assert_eq!(schema["properties"]["route"]["items"]["properties"]["evidence"]["enum"][1], "balanced");
    assert!(reference.contains("earlier calls for the model. One of `kept`, `nine`, `counted`. |"), "{reference}");
    assert!(
        reference.contains("| `body` | `32 MiB` | `TOOLGLOT_LIMITS_BODY` | Size of a request body. |"),
        "{reference}"
    );
}

#[test]
fn a_check_says_all_that_is_wrong_and_nothing_that_only_follows_from_it() {
    let places = |name: &str, text: &str| {
        let path = scratch(name, text);
        let faults = crate::Proxy::check(&Sources { file: Some(path.clone()), ..Sources::default() });
        std::fs::remove_file(&path).unwrap();
        let line = |fault: ConfigError| fault.place.rsplit(':').next().unwrap_or_default().to_owned();
        faults.into_iter().map(line).collect::<Vec<_>>()
    };
    let routes = "[[route]]\nmodels = ['a']\nupstream = 'x'\ndialect = ['y']\n";
    let wrong = format!("keys = ['sha256:1']\n[[upstream]]\nurl = 'nonsense'\n{routes}");
    assert_eq!(places("all", &wrong), ["1", "3", "6", "7"]);
    let unread = "listen = '0.0.0.0:1'\nkeys = 3.5\n[[upstream]]\nurl = 4.5\n".to_owned() + routes;
    assert_eq!(places("unread", &unread), ["2", "4", "7", "8"]);
}
