//! The state machine of the JSON reader: what is allowed next, which brackets are open, and the one function that changes both.

use crate::schema::NodeId;

/// What is allowed at the reader's position.
///
/// | expected | brackets open | a string | a key | `:` | a scalar | `,` | bracket closes |
/// |---|---|---|---|---|---|---|---|
/// | Start   | Key, Element, Member | Text | –     | –      | After | –            | – |
/// | Key     | –                    | Text | Colon | –      | –     | –            | After |
/// | Colon   | –                    | –    | –     | Member | –     | –            | – |
/// | Member  | Key, Element, Member | Text | –     | –      | After | –            | – |
/// | Element | Key, Element, Member | Text | –     | –      | After | –            | After |
/// | Text    | –                    | –    | Colon | –      | After | –            | – |
/// | After   | –                    | –    | –     | –      | –     | Key, Element | After |
///
/// `{` leads to Key, `[` and `(` to Element, `(` around one value to Member. A comma leads to Key in an object. If
/// no bracket is open, Done replaces After. An empty cell is left to the repairs: they take a different step
/// or end the value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Expect {
    /// A value outside all brackets.
    #[default]
    Start,
    /// A key or `}`.
    Key,
    Colon,
    /// The value of a key.
    Member,
    /// A value of an array, or `]`.
    Element,
    /// The rest of a string.
    Text,
    /// A comma or a closing bracket.
    After,
    /// Only the closing fence, if a fence was opened around the value.
    Done,
}

/// What was read: a column of the table in [`Expect`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// A bracket opened around values that a schema may govern.
    Open(Bracket, Option<NodeId>),
    /// The quote that opens a string, which is a key or a value.
    Quote,
    /// A key, whole.
    Key,
    Colon,
    /// A scalar or string, whole.
    Value,
    Comma,
    /// The innermost bracket closed.
    Close,
}

/// The kind of an open bracket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bracket {
    Object,
    Array,
    /// `(`, emitted as an array.
    Tuple,
    /// `{` around values without keys, emitted as an array.
    Set,
    /// `(` around one value without a comma, which is only that value.
    Group,
}

impl Bracket {
    pub(super) fn closer(self) -> u8 {
        match self {
            Self::Object | Self::Set => b'}',
            Self::Array => b']',
            Self::Tuple | Self::Group => b')',
        }
    }

    fn first(self) -> Expect {
        match self {
            Self::Object => Expect::Key,
            Self::Array | Self::Tuple | Self::Set => Expect::Element,
            Self::Group => Expect::Member,
        }
    }
}

/// An open bracket.
#[derive(Clone, Copy, Debug)]
pub(super) struct OpenBracket {
    pub(super) bracket: Bracket,
    pub(super) node: Option<NodeId>,
    /// How many members have begun.
    pub(super) members: usize,
    /// `{{` opened it.
    pub(super) doubled: bool,
    /// It was put into an array that the schema declares.
    pub(super) wrapped: bool,
    /// The schema does not allow such a value here, or only items of it.
    pub(super) misfit: bool,
}

/// Where the reader is in the value.
#[derive(Clone, Debug, Default)]
pub(super) struct ReaderState {
    expect: Expect,
    open: Vec<OpenBracket>,
}

impl ReaderState {
    pub(super) fn expect(&self) -> Expect {
        self.expect
    }

    /// Returns the open brackets, the innermost last.
    pub(super) fn open(&self) -> &[OpenBracket] {
        &self.open
    }

    pub(super) fn depth(&self) -> usize {
        self.open.len()
    }

    pub(super) fn innermost(&self) -> Option<&OpenBracket> {
        self.open.last()
    }

    pub(super) fn innermost_mut(&mut self) -> Option<&mut OpenBracket> {
        self.open.last_mut()
    }

    /// Moves on over a token.
    #[inline]
    pub(super) fn step(&mut self, token: Token) {
        self.expect = match token {
            Token::Open(bracket, node) => {
                let (doubled, wrapped, misfit) = (false, false, false);
                self.open.push(OpenBracket { bracket, node, members: 0, doubled, wrapped, misfit });
                bracket.first()
            }
            Token::Quote => Expect::Text,
            Token::Key => Expect::Colon,
            Token::Colon => Expect::Member,
            Token::Comma if self.innermost().is_some_and(|inner| inner.bracket == Bracket::Object) => Expect::Key,
            Token::Comma => Expect::Element,
            Token::Value => self.behind(),
            Token::Close => {
                self.close();
                self.behind()
            }
        };
    }

    /// Closes the innermost bracket; if the schema does not allow the one around it, that one may be the slip.
    fn close(&mut self) {
        let misfit = self.open.pop().is_some_and(|closed| closed.misfit);
        if let Some(outer) = self.innermost_mut() {
            outer.misfit |= misfit;
        }
    }

    /// Returns what is expected after a value.
    fn behind(&self) -> Expect {
        if self.open.is_empty() { Expect::Done } else { Expect::After }
    }

    /// Ends the value: the contents of open brackets were emitted in another way, or dropped.
    pub(super) fn end(&mut self) {
        self.open.clear();
        self.expect = Expect::Done;
    }

    /// The values inside the outermost bracket are governed by no schema.
    pub(super) fn forget_schema(&mut self) {
        self.open.iter_mut().skip(1).for_each(|inner| inner.node = None);
    }
}
