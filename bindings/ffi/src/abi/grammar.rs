//! Grammars that hold a model to its dialect.

use std::sync::Arc;

use super::border::{dialects, run, text};
use super::{TgBuffer, TgDialects, TgStatus, write};
use crate::fault::Fault;
use crate::grammar;

/// Writes a grammar that constrains a model to the dialect `name` and to tools (a JSON array in any vendor's format):
/// `{"text", "body", "trigger", "preserved_tokens", "warnings"}`. The text is the grammar, the body has the members for a
/// request. Options are a JSON object with the flags of `toolglot grammar`: `form` (`gbnf`, `lark`, `structural-tag`,
/// `json-schema`), `tool_choice`, `parallel`, `arguments`, `reasoning`, `content`, `all_spellings`, `strict`, `answer`, `tokens`,
/// `lazy`, `openai`. Fails if the dialect cannot express the options or the schemas.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tg_grammar(
    of: *const TgDialects,
    name: *const u8,
    name_len: usize,
    tools: *const u8,
    tools_len: usize,
    options: *const u8,
    options_len: usize,
    out: *mut TgBuffer,
) -> TgStatus {
    unsafe {
        run(out, |out| {
            let only = dialects(of).only(&[text(name, name_len)?]).map_err(Fault::invalid)?;
            let dialect = only.iter().next().map(Arc::as_ref).ok_or_else(|| Fault::invalid("no such dialect"))?;
            write(out, &grammar::grammar(dialect, text(tools, tools_len)?, text(options, options_len)?)?)
        })
    }
}
