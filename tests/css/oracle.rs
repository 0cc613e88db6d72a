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

/// A reference, and what it belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Expected {
    pub(crate) reference: String,
    pub(crate) attribute: Option<String>,
    pub(crate) inert: bool,
}

/// The references of a piece of CSS, in order.
pub(crate) fn references(css: &str, sheet: Sheet) -> Vec<String> {
    let found = expected(css, sheet).into_iter();
    found.map(|found| found.reference).collect()
}

/// The references of a piece of CSS, in order, with what they belong to.
pub(crate) fn expected(css: &str, sheet: Sheet) -> Vec<Expected> {
    let mut state = State {
        sheet,
        found: Vec::new(),
        open: Vec::new(),
        after_import: false,
        has_import: false,
        hidden: None,
        statement: Statement::default(),
        other_rule: false,
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
    state.found.retain(|found| !found.reference.is_empty());
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

/// A declaration, or the start of a rule.
#[derive(Default)]
struct Statement {
    /// The number of brackets around it.
    depth: usize,
    at: Option<String>,
    /// The tokens so far.
    tokens: usize,
    name: Option<String>,
    /// The name is followed by a colon.
    is_declaration: bool,
}

impl Statement {
    /// Whether it declares a custom property, whose value may hold blocks.
    fn is_custom(&self) -> bool {
        let name = self.name.as_deref();
        self.is_declaration && name.is_some_and(|name| name.starts_with("--"))
    }
}

/// The brackets and the statement that a token is in.
struct State {
    sheet: Sheet,
    found: Vec<Expected>,
    /// The open brackets and functions, innermost last, and whether they have contents so far.
    open: Vec<(String, bool)>,
    after_import: bool,
    /// Number of brackets that were open at the start of the rule that holds no references.
    hidden: Option<usize>,
    statement: Statement,
    has_import: bool,
    /// A rule stands before behind which `@import` does not count.
    other_rule: bool,
}

/// The rules behind which `@import` still counts, unless they have a block.
const BEFORE_IMPORT: [&str; 3] = ["charset", "layer", "import"];

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
        let depth = self.open.len();
        self.statement.tokens += 1;
        match (self.statement.tokens, &token) {
            (1, Token::Ident(name)) => self.statement.name = Some(name.to_string()),
            (2, Token::Colon) => self.statement.is_declaration = self.statement.name.is_some(),
            _ => {}
        }
        match token {
            Token::Function(name) => self
                .open
                .push((format!("({}", name.to_ascii_lowercase()), false)),
            Token::ParenthesisBlock => self.open.push(("(".to_owned(), false)),
            Token::SquareBracketBlock => self.open.push(("[".to_owned(), false)),
            Token::CurlyBracketBlock if depth > 0 && self.statement.is_custom() => {
                self.open.push(("value".to_owned(), false));
            }
            Token::CloseCurlyBracket if function == "value" => {
                self.open.pop();
            }
            Token::CurlyBracketBlock => {
                // A block ends the start of its rule.
                self.hidden = self.hidden.filter(|&start| start != depth);
                self.other_rule |= depth == 0;
                let is_font = self.statement.at.as_deref() == Some("font-face");
                self.open
                    .push((if is_font { "{font" } else { "{" }.to_owned(), false));
                self.begin();
            }
            Token::CloseParenthesis => {
                self.close(|name| name.starts_with('('));
            }
            Token::CloseSquareBracket => {
                self.close(|name| name == "[");
            }
            Token::CloseCurlyBracket if self.close(|name| name.starts_with('{')) => self.begin(),
            Token::Semicolon => {
                self.hidden = self.hidden.filter(|&start| start < depth);
                if function.is_empty() || function.starts_with('{') {
                    let at = self.statement.at.as_deref();
                    self.other_rule |= depth == 0
                        && at.is_some_and(|at| !BEFORE_IMPORT.contains(&at))
                        || depth == 0 && at == Some("layer") && self.has_import;
                    self.begin();
                }
            }
            // A block that is a value has no rules.
            Token::AtKeyword(_) if self.open.iter().any(|(open, _)| open == "value") => {}
            Token::AtKeyword(name) => self.at_keyword(name.to_ascii_lowercase(), depth),
            Token::UnquotedUrl(url) => self.reference(url.to_string()),
            Token::QuotedString(text) => {
                let counts = match function.as_str() {
                    "(url" | "(src" => was_empty,
                    "(image-set" | "(-webkit-image-set" | "(image" => true,
                    _ => was_import,
                };
                if counts {
                    self.reference(text.to_string());
                }
            }
            _ => {}
        }
        let depth = self.open.len();
        self.hidden = self.hidden.filter(|&start| start <= depth);
    }

    fn at_keyword(&mut self, name: String, depth: usize) {
        if name == "import" && self.sheet == Sheet::Declarations {
            return;
        }
        if ["namespace", "supports", "document", "-moz-document"].contains(&&*name) {
            self.hidden.get_or_insert(depth);
        }
        self.after_import = name == "import";
        self.statement.is_declaration = false;
        self.statement.at = Some(name);
    }

    fn reference(&mut self, reference: String) {
        if self.hidden.is_some() {
            return;
        }
        let statement = &self.statement;
        let is_import = statement.at.as_deref() == Some("import");
        if is_import {
            // What follows are conditions.
            self.hidden = Some(statement.depth);
        }
        let name = statement
            .name
            .as_deref()
            .filter(|_| statement.is_declaration);
        let name = name.map(|name| match name.starts_with("--") {
            true => name.to_owned(),
            false => name.to_ascii_lowercase(),
        });
        let block = statement.depth.checked_sub(1);
        let block = block.and_then(|at| Some(&*self.open.get(at)?.0));
        let attribute = match (is_import, name) {
            (true, _) => Some("@import".to_owned()),
            (false, Some(name)) if block == Some("{font") => Some(format!("@font-face/{name}")),
            (false, name) => name,
        };
        let inert = is_import && (self.other_rule || statement.depth > 0);
        self.has_import |= is_import && !inert;
        self.found.push(Expected {
            reference,
            attribute,
            inert,
        });
    }

    fn begin(&mut self) {
        self.statement = Statement {
            depth: self.open.len(),
            ..Statement::default()
        };
    }

    /// Closes the innermost bracket if it is of the same kind; any other closing bracket is stray.
    fn close(&mut self, matches: impl Fn(&str) -> bool) -> bool {
        let closes = self.open.last().is_some_and(|(name, _)| matches(name));
        if closes {
            self.open.pop();
        }
        closes
    }
}
