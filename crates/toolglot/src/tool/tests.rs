//! Lists of tools, and the names that calls use for them.

use serde_json::json;

use super::*;

fn tools(names: &[&str]) -> Tools {
    Tools::from_json(&Value::Array(names.iter().map(|name| json!({"name": name})).collect())).unwrap()
}

#[test]
fn every_vendors_form_is_read() {
    let tools = Tools::from_json(&json!([
        {"type": "function", "function": {"name": "a", "description": "d", "parameters": {"properties": {"x": {}}}}},
        {"name": "b", "parameters": {"properties": {"y": {}, "z": {}}}},
        {"name": "c", "input_schema": {"properties": {"y": {}}}},
        {"type": "custom", "name": "d", "input_schema": {"properties": {"y": {}}}},
        {"type": "function", "name": "e", "parameters": "{\"properties\": {\"t\": {}}}"},
        {"function": {"name": "f", "parameters": null}},
        {"type": "web_search"},
        {"type": "computer_20250124", "name": "computer"},
        {"type": "custom", "custom": {"name": "grammar"}},
        {"name": "g"},
        {"name": "h", "parameters": ""},
        {"name": "a", "parameters": {"properties": {"second": {}}}},
    ]))
    .unwrap();
    assert_eq!(tools.names().collect::<Vec<_>>(), ["a", "b", "c", "d", "e", "f", "g", "h"]);
    for (name, parameters) in
        [("a", &["x"][..]), ("b", &["y", "z"]), ("c", &["y"]), ("d", &["y"]), ("e", &["t"]), ("f", &[])]
    {
        let NameLookup::Exact(id) = tools.find(name) else { panic!("{name} is not found") };
        assert_eq!(
            tools.get(id).schema.as_ref().map_or(&[][..], |schema| schema.root().properties()),
            parameters,
            "{name}"
        );
        assert_eq!(tools.get(id).schema.is_some(), !parameters.is_empty(), "{name}");
    }
}

#[test]
fn tools_are_found_wherever_people_keep_them() {
    let tool = json!({"name": "a", "inputSchema": {"properties": {"x": {"type": "STRING"}}}});
    let schema = json!({"properties": {"x": {"type": "string"}}});
    for value in [
        json!({"tools": [tool]}),
        json!({"jsonrpc": "2.0", "id": 1, "result": {"tools": [tool], "nextCursor": null}}),
        json!({"model": "m", "messages": [{"role": "user"}], "tools": [{"type": "function", "function": {"name": "a", "parameters": schema}}]}),
        json!({"functions": [{"name": "a", "parameters": schema}]}),
        json!({"type": "function", "function": {"name": "a", "parameters": schema}}),
        tool.clone(),
        json!({"config": {"tools": [{"functionDeclarations": [{"name": "a", "parametersJsonSchema": schema}]}]}}),
        json!([{"function_declarations": [{"name": "a", "parameters": schema}]}]),
        json!({"toolConfig": {"tools": [{"toolSpec": {"name": "a", "inputSchema": {"json": schema}}}]}}),
        json!({"a": schema}),
        json!({"a": {"description": "d", "parameters": schema}}),
    ] {
        let tools = Tools::from_json(&value).unwrap_or_else(|error| panic!("{value}: {error}"));
        let NameLookup::Exact(id) = tools.find("a") else { panic!("{value}") };
        let properties = tools.get(id).schema.as_ref().map_or(&[][..], |schema| schema.root().properties());
        assert_eq!((tools.len(), properties), (1, &["x"].map(str::to_owned)[..]), "{value}");
    }
    let error = Tools::from_json(&json!({"tolls": [tool]})).unwrap_err().to_string();
    assert_eq!(error, "no tools in an object with `tolls`; pass a list of tools, or an object with `tools`");
}

#[test]
fn nothing_is_no_tools() {
    for text in ["null", "[]", "", " \n"] {
        assert!(Tools::from_json_str(text).unwrap().is_empty(), "{text}");
    }
    assert_eq!(Tools::default().find("a"), NameLookup::Unknown);
}

#[test]
fn an_error_says_which_entry_and_what_to_do() {
    for (text, index, expected) in [
        ("{}", None, "expected tools, found an empty object"),
        ("5", None, "expected a list of tools, found a number"),
        (r#"[{"name": "a"}, "b"]"#, Some(1), "tool 1: expected an object with `name` and `parameters`, found a string"),
        ("[{}]", Some(0), "tool 0: missing `name`; set `name` or `function.name` to a non-empty string"),
        (r#"[{"name": " "}]"#, Some(0), "tool 0: missing `name`; set `name` or `function.name` to a non-empty string"),
        (
            r#"[{"name": "a", "parameters": 5}]"#,
            Some(0),
            "tool 0: `parameters` must be a JSON Schema object, found a number",
        ),
        (
            r#"[{"name": "a", "parameters": "[]"}]"#,
            Some(0),
            "tool 0: `parameters` must be a JSON Schema object, found an array",
        ),
    ] {
        let error = Tools::from_json_str(text).unwrap_err();
        assert_eq!((error.index(), error.to_string().as_str()), (index, expected), "{text}");
    }
    assert!(Tools::from_json_str("[").unwrap_err().to_string().starts_with("the tools are not valid JSON"));
}

#[test]
fn a_name_means_one_tool_or_none() {
    let declared = &[
        "Write",
        "read_file",
        "get_weather",
        "web.search",
        "list_dir",
        "kanban_list",
        "apply",
        "Apply_Patch",
        "applypatch",
        "file",
    ];
    for (name, expected) in [
        ("Write", "Write"),
        ("write", "~Write"),
        ("functions.Write", "~Write"),
        ("functions.Write:0", "~Write"),
        ("default_api.get_weather", "~get_weather"),
        ("tools.get-weather", "~get_weather"),
        ("Get Weather", "~get_weather"),
        ("getWeather", "~get_weather"),
        ("GET_WEATHER", "~get_weather"),
        ("Write_File", "~Write"),
        ("write-file", "~Write"),
        ("Read", "~read_file"),
        ("ReadFile", "~read_file"),
        ("functions.ReadFile:3", "~read_file"),
        ("tools:Write", "~Write"),
        ("mcp.server.list_dir", "~list_dir"),
        ("mcp/server/ListDir", "~list_dir"),
        ("call:web.search", "~web.search"),
        ("\"Write\"", "~Write"),
        ("web_search", "~web.search"),
        ("file", "file"),
        ("APPLY_PATCH", "~Apply_Patch"),
        ("apply-patch", "?"),
        ("ApplyPatch", "~applypatch"),
        ("search", "?"),
        ("kanban_link", "?"),
        ("kanban", "?"),
        ("Write<|channel|>commentary", "~Write"),
        ("get_weatherget_weather", "~get_weather"),
        ("Write<arg_key>path</arg_key>", "?"),
        ("Wri", "?"),
        ("Writes", "?"),
        ("weather", "?"),
        ("", "?"),
        ("___", "?"),
        (":0", "?"),
        ("functions.", "?"),
        ("_file", "~file"),
    ] {
        let tools = tools(declared);
        let found = match tools.find(name) {
            NameLookup::Exact(id) => tools.get(id).name.to_string(),
            NameLookup::Normalised(id) => format!("~{}", tools.get(id).name),
            NameLookup::Unknown => "?".to_owned(),
        };
        assert_eq!(found, expected, "{name}");
    }
}

#[test]
fn a_spelling_of_two_tools_is_unknown() {
    for (declared, name) in [
        (&["Read", "READ"][..], "read"),
        (&["get_x", "get-x"], "getX"),
        (&["edit_file", "edit-file"], "Edit"),
        (&["a.search", "a_search", "search"], "A:search"),
    ] {
        assert_eq!(tools(declared).find(name), NameLookup::Unknown, "{name}");
    }
}

#[test]
fn a_tag_may_name_a_tool_in_any_case_with_or_without_file() {
    let tools = tools(&["Read_File", "write", "ÄNDERN"]);
    for tag in ["read", "READ_FILE", "read_file", "Write", "write_file", "ändern", "é"] {
        assert!(tools.may_have_tag(tag), "{tag}");
    }
    for tag in ["reads", "rea", "file", "write_", "writefile", "div", ""] {
        assert!(!tools.may_have_tag(tag), "{tag}");
    }
}
