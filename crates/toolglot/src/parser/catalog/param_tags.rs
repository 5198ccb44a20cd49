//! Tags with which dialects mark parameters: if undeclared, such a tag is not a parameter's own name.

use std::sync::Arc;

use crate::dialect::{Dialect, HeadPart, Hole, Spelling};

/// Returns the names of the tags with which dialects mark parameters, or separate a call's name from them, in order.
pub(super) fn param_tags(dialects: &[Arc<Dialect>]) -> Vec<Box<str>> {
    let marking = dialects.iter().flat_map(|dialect| &dialect.params).flat_map(|param| &param.head);
    let heads = dialects.iter().flat_map(|dialect| &dialect.calls).map(|call| &call.head[..]);
    let behind = heads.flat_map(|head| head.windows(2).filter(|pair| matches!(pair[0], HeadPart::Hole(Hole::Name))));
    let parting = behind.flat_map(|pair| spelled(&pair[1])).filter(|text| !text.starts_with("</"));
    let texts: Vec<String> = marking.flat_map(spelled).chain(parting.filter(|text| text.starts_with('<'))).collect();
    let mut tags: Vec<Box<str>> = texts.iter().flat_map(|text| names(text)).map(Box::from).collect();
    tags.sort_unstable();
    tags.dedup();
    tags
}

/// Returns the spelling of a literal.
fn spelled(part: &HeadPart) -> impl Iterator<Item = String> {
    part.literal().into_iter().flat_map(|literal| &literal.spellings).map(Spelling::plain)
}

/// Returns the names of the opening tags in a text.
fn names(text: &str) -> impl Iterator<Item = &str> {
    let tags = text.split('<').filter_map(|tag| tag.split_once('>').map(|(name, _)| name));
    tags.filter(|name| !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::Dialects;

    #[test]
    fn they_are_what_the_files_write() {
        let tags = param_tags(Dialects::builtin().list());
        let expected =
            ["arg_key", "arg_value", "longcat_arg_key", "longcat_arg_value", "name", "parameter", "tool_sep", "value"];
        assert_eq!(tags, expected.map(Box::from));
    }
}
