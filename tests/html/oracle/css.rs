//! References in CSS: the tokens of cssparser, and which of them are references.
//!
//! Where cssparser 0.38 departs from CSS Syntax, the standard decides: see [`bad_url_rest`].

use cssparser::{Parser, Token};

/// The kind of a piece of CSS.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sheet {
    /// A style sheet, in which `@import` counts.
    Whole,
    /// The declarations of an attribute.
    Declarations,
}

/// The references of a piece of CSS, in order.
pub(crate) fn references(css: &str, sheet: Sheet) -> Vec<String> {
    let mut state = State {
        sheet,
        found: Vec::new(),
        open: Vec::new(),
        after_import: false,
        namespace: None,
    };
    let mut rest = css;
    loop {
        // One parser for each token: a parser skips the contents of blocks.
        let mut parser = Parser::new(rest);
        let Ok(token) = parser.next_including_whitespace().cloned() else {
            break;
        };
        rest = &rest[parser.position().byte_index()..];
        if let Token::BadUrl(contents) = &token {
            rest = bad_url_rest(contents, rest);
        }
        state.token(token);
    }
    state.found.retain(|reference| !reference.is_empty());
    state.found
}

/// CSS Syntax 4.3.14: an escaped `)` does not end a bad url. cssparser overlooks the backslash if it
/// is the first character after the white space in `url(a \)b)`.
fn bad_url_rest<'a>(contents: &str, rest: &'a str) -> &'a str {
    let unescaped = contents.trim_end_matches('\\');
    if (contents.len() - unescaped.len()).is_multiple_of(2) {
        return rest;
    }
    let mut is_escaped = false;
    let end = rest.find(|character| {
        let ends = character == ')' && !is_escaped;
        is_escaped = character == '\\' && !is_escaped;
        ends
    });
    end.map_or("", |end| &rest[end + 1..])
}

/// The brackets and the at-rule that a token is in.
struct State {
    sheet: Sheet,
    found: Vec<String>,
    /// The open brackets and functions, innermost last, and whether they have contents so far.
    open: Vec<(String, bool)>,
    after_import: bool,
    /// Number of brackets that were open at the start of the current `@namespace` rule.
    namespace: Option<usize>,
}

impl State {
    fn token(&mut self, token: Token<'_>) {
        if let Token::WhiteSpace(_) = token {
            return;
        }
        let was_import = std::mem::replace(&mut self.after_import, false);
        let (function, was_empty) = match self.open.last_mut() {
            Some((name, used)) => (name.clone(), !std::mem::replace(used, true)),
            None => (String::new(), false),
        };
        let is_hidden = self.namespace.is_some();
        let depth = self.open.len();
        match token {
            Token::Function(name) => self.open.push((name.to_ascii_lowercase(), false)),
            Token::ParenthesisBlock => self.open.push(("(".to_owned(), false)),
            Token::SquareBracketBlock => self.open.push(("[".to_owned(), false)),
            Token::CurlyBracketBlock => {
                // A block ends its at-rule.
                self.namespace = self.namespace.filter(|&start| start != depth);
                self.open.push(("{".to_owned(), false));
            }
            Token::CloseParenthesis => self.close(|name| !["[", "{"].contains(&name)),
            Token::CloseSquareBracket => self.close(|name| name == "["),
            Token::CloseCurlyBracket => self.close(|name| name == "{"),
            Token::Semicolon => self.namespace = self.namespace.filter(|&start| start < depth),
            Token::AtKeyword(name) if name.eq_ignore_ascii_case("namespace") => {
                self.namespace.get_or_insert(depth);
            }
            Token::AtKeyword(name) => {
                self.after_import =
                    name.eq_ignore_ascii_case("import") && self.sheet == Sheet::Whole;
            }
            Token::UnquotedUrl(url) if !is_hidden => self.found.push(url.to_string()),
            Token::QuotedString(text) if !is_hidden => {
                let counts = match function.as_str() {
                    "url" | "src" => was_empty,
                    "image-set" | "-webkit-image-set" => true,
                    _ => was_import,
                };
                self.found.extend(counts.then(|| text.to_string()));
            }
            _ => {}
        }
        let depth = self.open.len();
        self.namespace = self.namespace.filter(|&start| start <= depth);
    }

    /// Closes the innermost bracket if it is of the same kind; any other closing bracket is stray.
    fn close(&mut self, matches: impl Fn(&str) -> bool) {
        if self.open.last().is_some_and(|(name, _)| matches(name)) {
            self.open.pop();
        }
    }
}
