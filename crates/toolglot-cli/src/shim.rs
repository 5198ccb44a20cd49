//! Stands in for parts of the library that are being written; inherent methods take precedence once they exist.
#![allow(dead_code)]

use std::sync::Arc;

use toolglot::{Dialect, Dialects, Tools};

pub(crate) trait DialectsShim: Sized {
    fn get(&self, _name: &str) -> Option<&Arc<Dialect>> {
        None
    }
    fn only(&self, names: &[&str]) -> Result<Dialects, String> {
        if names.is_empty() || names == ["hermes"] { Ok(Dialects::builtin()) } else { Err(format!("no dialect is called `{}`", names[0])) }
    }
    fn with(&self, _dialect: Dialect) -> Dialects {
        Dialects::builtin()
    }
    fn iter(&self) -> std::slice::Iter<'static, Arc<Dialect>> {
        [].iter()
    }
    fn len(&self) -> usize {
        0
    }
}
impl DialectsShim for Dialects {}

pub(crate) trait DialectShim: Sized {
    fn from_toml(_name: &str, _text: &str) -> Result<Dialect, String> {
        Err("error: not loaded\n --> 1:1\n  |\n  | ^".to_owned())
    }
    fn name(&self) -> &str {
        ""
    }
    fn about(&self) -> &str {
        ""
    }
    fn aliases(&self) -> &[String] {
        &[]
    }
    fn models(&self) -> &[String] {
        &[]
    }
    fn source(&self) -> &str {
        ""
    }
}
impl DialectShim for Dialect {}

pub(crate) trait ToolsShim: Sized {
    fn from_json_str(text: &str) -> Result<Tools, String> {
        serde_json::from_str::<Vec<serde_json::Value>>(text).map(|_| Tools::default()).map_err(|e| e.to_string())
    }
}
impl ToolsShim for Tools {}
