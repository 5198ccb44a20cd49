//! The engines that read our grammars, each as one that says which bytes may come next.

use llguidance::api::TopLevelGrammar;
use llguidance::toktrie::ApproximateTokEnv;
use llguidance::{Matcher, ParserFactory};
use xgrammar::{
    GrammarCompiler, GrammarMatcher, TokenizerInfo, VocabType, allocate_token_bitmask, get_masked_tokens_from_bitmask,
};

/// An engine in the middle of a text.
pub trait Engine {
    /// Goes back to where a text begins.
    fn restart(&mut self);

    /// Takes one more byte; `false` if the grammar has no such text.
    fn take(&mut self, byte: u8) -> bool;

    /// Says whether the text may end here.
    fn may_end(&mut self) -> bool;

    /// Returns the bytes that may come next.
    fn next(&mut self) -> Vec<u8>;

    /// Takes a whole text from its beginning; the error says how far it came.
    ///
    /// # Errors
    /// If the grammar has no such text.
    fn accepts(&mut self, text: &str) -> Result<(), String> {
        self.restart();
        for (at, byte) in text.bytes().enumerate() {
            if !self.take(byte) {
                return Err(format!("refused at byte {at}: {:?}", String::from_utf8_lossy(&text.as_bytes()[at..])));
            }
        }
        if self.may_end() { Ok(()) } else { Err("not over at the end".to_owned()) }
    }
}

/// llguidance with one token for each byte.
pub struct Llguidance {
    start: Matcher,
    matcher: Matcher,
}

impl Llguidance {
    /// Reads a grammar in Lark.
    ///
    /// # Errors
    /// llguidance's error message.
    pub fn new(lark: &str) -> Result<Self, String> {
        let mut factory =
            ParserFactory::new_simple(&ApproximateTokEnv::single_byte_env()).map_err(|error| error.to_string())?;
        let parser = factory.quiet().create_parser(TopLevelGrammar::from_lark(lark.to_owned()));
        let matcher = Matcher::new(parser);
        match matcher.get_error() {
            Some(error) => Err(error),
            None => Ok(Self { start: matcher.deep_clone(), matcher }),
        }
    }
}

impl Engine for Llguidance {
    fn restart(&mut self) {
        self.matcher = self.start.deep_clone();
    }

    fn take(&mut self, byte: u8) -> bool {
        !self.matcher.is_stopped() && self.matcher.consume_token(u32::from(byte)).is_ok()
    }

    fn may_end(&mut self) -> bool {
        self.matcher.is_stopped() || self.matcher.is_accepting().unwrap_or(false)
    }

    fn next(&mut self) -> Vec<u8> {
        if self.matcher.is_stopped() {
            return Vec::new();
        }
        let Ok(mask) = self.matcher.compute_mask() else { return Vec::new() };
        (0..=255_u8).filter(|byte| mask.is_allowed(u32::from(*byte))).collect()
    }
}

/// xgrammar with one token for each byte.
pub struct Xgrammar {
    matcher: GrammarMatcher,
    mask: Vec<i32>,
}

/// How many tokens there are: all bytes and the end.
const VOCABULARY: i32 = 257;

impl Xgrammar {
    /// Reads a structural tag.
    ///
    /// # Errors
    /// xgrammar's error message.
    pub fn new(tag: &str) -> Result<Self, String> {
        let vocabulary: Vec<String> =
            (0..=255_u8).map(|byte| format!("<0x{byte:02X}>")).chain(["</s>".to_owned()]).collect();
        let tokenizer = TokenizerInfo::new(&vocabulary, VocabType::ByteFallback, None, Some(vec![256]), false)
            .map_err(|error| error.to_string())?;
        let compiler = GrammarCompiler::with_defaults(tokenizer);
        let compiled = compiler.compile_structural_tag(tag).map_err(|error| error.to_string())?;
        let matcher = GrammarMatcher::from_compiled_grammar(&compiled, false);
        Ok(Self { matcher, mask: allocate_token_bitmask(1, VOCABULARY) })
    }

    /// Finds the tokens that may come next; `false` if the engine cannot say.
    pub fn mask(&mut self) -> bool {
        let words = self.mask.len() as i64;
        self.mask.fill(-1);
        self.matcher.fill_next_token_bitmask(&mut self.mask, &[1, words], 0).is_ok()
    }
}

impl Engine for Xgrammar {
    fn restart(&mut self) {
        self.matcher.reset();
    }

    fn take(&mut self, byte: u8) -> bool {
        self.matcher.accept_bytes(&[byte])
    }

    fn may_end(&mut self) -> bool {
        self.matcher.is_completed()
    }

    fn next(&mut self) -> Vec<u8> {
        if !self.mask() {
            return Vec::new();
        }
        let refused = get_masked_tokens_from_bitmask(&self.mask, VOCABULARY, 0);
        (0..=255_u8).filter(|byte| !refused.contains(&i32::from(*byte))).collect()
    }
}
