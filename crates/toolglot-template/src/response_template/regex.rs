//! The regular expressions of templates, as far as patterns can express them.

/// One part of an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Node {
    Literal(String),
    /// White space, or none.
    Space,
    /// Any text, without a name.
    Any,
    Digits,
    /// A named group with any text.
    Group(String),
    /// The same text again.
    Again(String),
    /// One of several alternatives, possibly empty.
    OneOf(Vec<Vec<Node>>, bool),
    /// A look-ahead.
    Ahead,
    End,
}

/// Parses an expression as alternatives.
///
/// # Errors
/// With the construct that patterns cannot express.
pub(super) fn read(pattern: &str) -> Result<Vec<Vec<Node>>, String> {
    let mut reader = Reader { rest: pattern };
    let all = reader.alternatives()?;
    if reader.rest.is_empty() { Ok(all) } else { Err(reader.rest.to_owned()) }
}

struct Reader<'p> {
    rest: &'p str,
}

impl Reader<'_> {
    fn alternatives(&mut self) -> Result<Vec<Vec<Node>>, String> {
        let mut all = vec![Vec::new()];
        while !self.rest.is_empty() && !self.rest.starts_with(')') {
            if self.takes("|") {
                all.push(Vec::new());
                continue;
            }
            let node = self.node()?;
            let last = all.last_mut().ok_or("|")?;
            match (last.last_mut(), node) {
                (Some(Node::Literal(text)), Node::Literal(more)) => text.push_str(&more),
                (_, node) => last.push(node),
            }
        }
        Ok(all)
    }

    fn takes(&mut self, text: &str) -> bool {
        let rest = self.rest.strip_prefix(text);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn node(&mut self) -> Result<Node, String> {
        let start = self.rest;
        let node = match () {
            () if self.takes("(?P<") || self.takes("(?<") => self.group(start)?,
            () if self.takes("(?P=") => self.again(start)?,
            () if self.takes("(?=") => {
                self.alternatives()?;
                self.closed(start, Node::Ahead)?
            }
            () if self.takes("(?:") || (start.starts_with('(') && !start.starts_with("(?") && self.takes("(")) => {
                let all = self.alternatives()?;
                self.closed(start, Node::Ahead)?;
                Node::OneOf(all, self.takes("?"))
            }
            () if self.takes("$") || self.takes("\\Z") => Node::End,
            () if self.takes(".") => self.any(start)?,
            () if self.takes("[") => self.class(start)?,
            () if self.takes("\\") => self.escape(start)?,
            () => Node::Literal(self.character(start)?.to_string()),
        };
        match (&node, self.rest.chars().next()) {
            (Node::Literal(text), Some('?')) if text.trim().is_empty() && self.takes("?") => Ok(Node::Space),
            (Node::Literal(text), _) if text.trim().is_empty() => Ok(Node::Space),
            (Node::Literal(_), Some('*' | '+' | '?' | '{')) => {
                Err(start[..start.len() - self.rest.len() + 1].to_owned())
            }
            _ => Ok(node),
        }
    }

    fn character(&mut self, start: &str) -> Result<char, String> {
        let c = self.rest.chars().next().ok_or(start)?;
        if "*+?(){}^".contains(c) {
            return Err(start.chars().take(12).collect());
        }
        self.rest = &self.rest[c.len_utf8()..];
        Ok(c)
    }

    fn closed(&mut self, start: &str, node: Node) -> Result<Node, String> {
        if self.takes(")") { Ok(node) } else { Err(start.to_owned()) }
    }

    /// A named group must match any text.
    fn group(&mut self, start: &str) -> Result<Node, String> {
        let (name, rest) = self.rest.split_once('>').ok_or(start)?;
        let (name, is_look_behind) = (name.to_owned(), name.starts_with(['=', '!']));
        self.rest = rest;
        let inside = self.alternatives()?;
        let is_any = matches!(&inside[..], [one] if matches!(&one[..], [Node::Any | Node::Digits]));
        if is_look_behind || !is_any {
            return Err(start[..start.len() - self.rest.len()].to_owned() + ")");
        }
        self.closed(start, Node::Group(name))
    }

    fn again(&mut self, start: &str) -> Result<Node, String> {
        let (name, rest) = self.rest.split_once(')').ok_or(start)?;
        let name = name.to_owned();
        self.rest = rest;
        Ok(Node::Again(name))
    }

    /// `.*?` and the like.
    fn any(&mut self, start: &str) -> Result<Node, String> {
        let repeats = self.takes("*") || self.takes("+");
        self.takes("?");
        if repeats { Ok(Node::Any) } else { Err(start.chars().take(1).collect()) }
    }

    fn class(&mut self, start: &str) -> Result<Node, String> {
        let mut end = None;
        let mut escaped = false;
        for (at, c) in self.rest.char_indices() {
            match c {
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                ']' if at > 0 => {
                    end = Some(at);
                    break;
                }
                _ => {}
            }
        }
        self.rest = &self.rest[end.ok_or(start)? + 1..];
        self.any(start)
    }

    fn escape(&mut self, start: &str) -> Result<Node, String> {
        let c = self.rest.chars().next().ok_or(start)?;
        self.rest = &self.rest[c.len_utf8()..];
        match c {
            's' | 'n' | 't' | 'r' => {
                let _ = self.takes("*") || self.takes("+") || self.takes("?");
                self.takes("?");
                Ok(Node::Space)
            }
            'd' => self.any(start).map(|_| Node::Digits),
            'w' | 'S' => self.any(start),
            c if c.is_alphanumeric() => Err(format!("\\{c}")),
            c => Ok(Node::Literal(c.to_string())),
        }
    }
}
