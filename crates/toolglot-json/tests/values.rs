//! Values are read, written and asked as `serde_json` does it, but exactly.

use toolglot_json::{Map, Value, from_slice, from_str, json, to_value};

#[test]
fn numbers_and_order_stay_as_written() {
    for text in ["1e400", "12345678901234567890123", "1.0", "-0", "-0.0", "0.10", "1E+5", "18446744073709551615", "-9"]
    {
        let object = format!(r#"{{"z":{text},"a":[{text}]}}"#);
        let value = from_str(&object).unwrap();
        assert_eq!(value.to_string(), object);
        assert_eq!(serde_json::to_string(&value).unwrap(), object);
        assert_eq!(serde_json::from_str::<Value>(&object).unwrap(), value);
    }
}

#[test]
fn structs_contain_values() {
    #[derive(serde::Deserialize, serde::Serialize)]
    struct Call {
        id: Option<Value>,
        arguments: Map,
        rest: Vec<Value>,
    }
    let text = r#"{"id":1.50,"arguments":{"b":1e99,"a":"é\n"},"rest":[null,[]]}"#;
    let call: Call = serde_json::from_str(text).unwrap();
    assert_eq!(call.arguments.keys().collect::<Vec<_>>(), ["b", "a"]);
    assert_eq!(serde_json::to_string(&call).unwrap(), text);
    assert_eq!(to_value(&call).unwrap().to_string(), text);
    let wrong = serde_json::from_str::<Call>(r#"{"id": 1, "arguments": [], "rest": []}"#).err().unwrap();
    assert_eq!(wrong.to_string(), "invalid type: sequence, expected a map at line 1 column 25");
}

#[test]
fn errors_say_where() {
    for (text, error) in [
        (&b"{\n \"a\": tru}"[..], "expected ident at line 2 column 10"),
        (b"[1,", "EOF while parsing a value at line 1 column 3"),
        (b"[1,]", "trailing comma at line 1 column 4"),
        (b"[1e400,\n1,]", "expected value at line 2 column 3"),
        (b"[1e400, \"\\udc00\"]", "lone leading surrogate in hex escape at line 1 column 15"),
        (b"1 2", "trailing characters at line 1 column 3"),
        (b"", "EOF while parsing a value at line 1 column 0"),
        (b"[\n\"\\ud800 \"]", "unexpected end of hex escape at line 2 column 8"),
        (b"\"\\udc00\"", "lone leading surrogate in hex escape at line 1 column 7"),
        (b"\"ab\xff\"", "invalid unicode code point at line 1 column 4"),
    ] {
        assert_eq!(from_slice(text).unwrap_err().to_string(), error);
        assert!(serde_json::from_slice::<Value>(text).is_err(), "{error}");
    }
    let (least, most) = (format!("{}{}", "[".repeat(127), "]".repeat(127)), "[".repeat(1_000_000));
    assert!(from_str(&least).is_ok());
    assert_eq!(from_str(&most).unwrap_err().to_string(), "recursion limit exceeded at line 1 column 128");
}

#[test]
fn the_macro_takes_what_json_has() {
    let (name, none, items, text) = ("n", None::<u8>, [1, 2], "t".to_owned());
    let value = json!({
        "a": null, "b": [null, [], {}, -1, [1 + 1]], name: {"x": text}, (format!("{name}2")): none, "i": items,
        "f": if items.is_empty() { 1 } else { 2 }, "v": [vec![text.clone()], text],
    });
    let written = r#"{"a":null,"b":[null,[],{},-1,[2]],"n":{"x":"t"},"n2":null,"i":[1,2],"f":2,"v":[["t"],"t"]}"#;
    assert_eq!(value.to_string(), written);
    assert_eq!(
        (json!(null), json!([]), json!({}), json!(2.5)),
        (Value::Null, Vec::<Value>::new().into(), Map::new().into(), 2.5.into())
    );
}

#[test]
fn members_and_items_are_found_and_changed() {
    let mut value = json!({"a": [1, {"b/c~": "x"}], "d": 1.0});
    assert_eq!(value.pointer("/a/1/b~1c~0").and_then(Value::as_str), Some("x"));
    assert_eq!((value.pointer(""), value.pointer("/a/01"), value.pointer("a")), (Some(&value), None, None));
    *value.pointer_mut("/a/0").unwrap() = json!(true);
    value["a"][1] = value["d"].take();
    value["e"]["f"] = 1.into();
    assert_eq!(value.to_string(), r#"{"a":[true,1.0],"d":null,"e":{"f":1}}"#);
    assert_eq!((&value["a"][0], &value["x"][7], value.get("a").is_some()), (&json!(true), &Value::Null, true));
    assert!(value["e"]["f"] == 1 && value["a"][1] == 1.0 && value["d"] != "");
    let members = value.as_object_mut().unwrap();
    assert_eq!(members.remove("a").unwrap()[0], true);
    members.insert("a".to_owned(), 2.into());
    assert_eq!(members.keys().collect::<Vec<_>>(), ["d", "e", "a"]);
}

#[test]
fn values_of_serde_json_are_rounded_and_back() {
    let value = json!({"b": [1, -2.5, "x", null, true], "a": {}});
    let plain = serde_json::Value::from(&value);
    assert_eq!(Value::from(plain.clone()), value);
    assert_eq!(plain["b"][1], -2.5);
    assert!(
        serde_json::Value::from(&from_str("[-1e999, 1e999]").unwrap())
            .as_array()
            .unwrap()
            .iter()
            .all(serde_json::Value::is_number)
    );
}
