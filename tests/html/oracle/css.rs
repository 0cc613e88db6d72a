//! References in CSS: a naive tokenizer by CSS Syntax 3, and what its tokens mean.

/// What a piece of CSS is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sheet {
    /// A style sheet, which may have `@import`.
    Whole,
    /// The declarations of an attribute.
    Declarations,
}

#[derive(Debug, PartialEq)]
enum Token {
    Ident,
    /// `name(`, the name in lower case.
    Function(String),
    AtKeyword(String),
    Text(String),
    Url(String),
    Open(char),
    Close(char),
    Semicolon,
    Space,
    Other,
}

/// The references of a piece of CSS, in order.
pub(crate) fn references(css: &str, sheet: Sheet) -> Vec<String> {
    let tokens = Tokenizer::tokenize(css);
    let mut found = Vec::new();
    // The open brackets, innermost last; functions by name, whether something stood in them yet.
    let mut open: Vec<(String, bool)> = Vec::new();
    let mut after_import = false;
    // `@namespace`: nothing up to the end of the rule is a reference.
    let mut namespace: Option<usize> = None;
    for token in tokens {
        if token == Token::Space {
            continue;
        }
        let was_import = std::mem::replace(&mut after_import, false);
        let (function, was_empty) = match open.last_mut() {
            Some((name, used)) => (name.clone(), !std::mem::replace(used, true)),
            None => (String::new(), false),
        };
        let is_hidden = namespace.is_some();
        match token {
            Token::Function(name) => open.push((name, false)),
            Token::Open(bracket) => {
                // A block ends the at-rule that it stands in.
                namespace = namespace.filter(|&depth| bracket != '{' || depth != open.len());
                open.push((bracket.to_string(), false));
            }
            Token::Close(bracket) => close(&mut open, bracket),
            Token::Semicolon => namespace = namespace.filter(|&depth| depth < open.len()),
            Token::AtKeyword(name) if name == "namespace" => {
                namespace.get_or_insert(open.len());
            }
            Token::AtKeyword(name) => after_import = name == "import" && sheet == Sheet::Whole,
            Token::Url(url) if !is_hidden => found.push(url),
            Token::Text(text) if !is_hidden => {
                let counts = match function.as_str() {
                    "url" | "src" => was_empty,
                    "image-set" | "-webkit-image-set" => true,
                    _ => was_import,
                };
                found.extend(counts.then_some(text));
            }
            _ => {}
        }
        namespace = namespace.filter(|&depth| depth <= open.len());
    }
    found.retain(|reference| !reference.is_empty());
    found
}

/// A closing bracket closes the innermost bracket of its kind only; any other is a stray one.
fn close(open: &mut Vec<(String, bool)>, bracket: char) {
    let is_its_own = open.last().is_some_and(|(name, _)| match bracket {
        ')' => !["[", "{"].contains(&name.as_str()),
        ']' => name == "[",
        _ => name == "{",
    });
    if is_its_own {
        open.pop();
    }
}

struct Tokenizer {
    input: Vec<char>,
    at: usize,
}

impl Tokenizer {
    fn tokenize(css: &str) -> Vec<Token> {
        // CSS Syntax 3.3: preprocessing.
        let text = css
            .replace("\r\n", "\n")
            .replace(['\r', '\u{c}'], "\n")
            .replace('\0', "\u{fffd}");
        let mut tokenizer = Tokenizer {
            input: text.chars().collect(),
            at: 0,
        };
        std::iter::from_fn(|| tokenizer.token()).collect()
    }

    fn peek(&self, ahead: usize) -> Option<char> {
        self.input.get(self.at + ahead).copied()
    }

    fn starts_with(&self, wanted: &str) -> bool {
        wanted
            .chars()
            .enumerate()
            .all(|(ahead, character)| self.peek(ahead) == Some(character))
    }

    /// CSS Syntax 4.3.1: consume a token.
    fn token(&mut self) -> Option<Token> {
        while self.starts_with("/*") {
            self.at += 2;
            while self.at < self.input.len() && !self.starts_with("*/") {
                self.at += 1;
            }
            self.at = (self.at + 2).min(self.input.len());
        }
        let first = self.peek(0)?;
        if is_space(first) {
            self.skip_space();
            return Some(Token::Space);
        }
        if self.is_number(0) {
            return Some(self.number());
        }
        if self.starts_with("<!--") {
            self.at += 4;
            return Some(Token::Other);
        }
        if self.starts_with("-->") {
            self.at += 3;
            return Some(Token::Other);
        }
        if self.is_ident(0) {
            return Some(self.ident_like());
        }
        self.at += 1;
        Some(match first {
            '"' | '\'' => self.text(first),
            '#' => {
                if self.peek(0).is_some_and(is_name) || self.is_escape(0) {
                    self.name();
                }
                Token::Other
            }
            '@' if self.is_ident(0) => Token::AtKeyword(self.name().to_ascii_lowercase()),
            '(' | '[' | '{' => Token::Open(first),
            ')' | ']' | '}' => Token::Close(first),
            ';' => Token::Semicolon,
            _ => Token::Other,
        })
    }

    fn skip_space(&mut self) {
        while self.peek(0).is_some_and(is_space) {
            self.at += 1;
        }
    }

    /// CSS Syntax 4.3.8: a valid escape starts here.
    fn is_escape(&self, ahead: usize) -> bool {
        self.peek(ahead) == Some('\\') && self.peek(ahead + 1) != Some('\n')
    }

    /// CSS Syntax 4.3.9: an ident sequence starts here.
    fn is_ident(&self, ahead: usize) -> bool {
        match self.peek(ahead) {
            Some('-') => {
                let next = self.peek(ahead + 1);
                next.is_some_and(|next| is_name_start(next) || next == '-')
                    || self.is_escape(ahead + 1)
            }
            Some('\\') => self.is_escape(ahead),
            other => other.is_some_and(is_name_start),
        }
    }

    /// CSS Syntax 4.3.10: a number starts here.
    fn is_number(&self, ahead: usize) -> bool {
        let is_digit = |ahead| {
            self.peek(ahead)
                .is_some_and(|character| character.is_ascii_digit())
        };
        let ahead = ahead + usize::from(matches!(self.peek(ahead), Some('+' | '-')));
        is_digit(ahead) || (self.peek(ahead) == Some('.') && is_digit(ahead + 1))
    }

    fn digits(&mut self) {
        while self.peek(0).is_some_and(|next| next.is_ascii_digit()) {
            self.at += 1;
        }
    }

    /// CSS Syntax 4.3.3: a number, percentage or dimension.
    fn number(&mut self) -> Token {
        self.at += usize::from(matches!(self.peek(0), Some('+' | '-')));
        self.digits();
        let is_digit = |character: Option<char>| character.is_some_and(|c| c.is_ascii_digit());
        if self.peek(0) == Some('.') && is_digit(self.peek(1)) {
            self.at += 1;
            self.digits();
        }
        if matches!(self.peek(0), Some('e' | 'E')) {
            let sign = usize::from(matches!(self.peek(1), Some('+' | '-')));
            if is_digit(self.peek(1 + sign)) {
                self.at += 1 + sign;
                self.digits();
            }
        }
        if self.is_ident(0) {
            self.name();
        } else if self.peek(0) == Some('%') {
            self.at += 1;
        }
        Token::Other
    }

    /// CSS Syntax 4.3.11: consume an ident sequence.
    fn name(&mut self) -> String {
        let mut name = String::new();
        while let Some(next) = self.peek(0) {
            if is_name(next) {
                self.at += 1;
                name.push(next);
            } else if self.is_escape(0) {
                self.at += 1;
                name.push(self.escaped());
            } else {
                break;
            }
        }
        name
    }

    /// CSS Syntax 4.3.7: consume an escaped code point, behind its backslash.
    fn escaped(&mut self) -> char {
        let mut digits = String::new();
        while digits.len() < 6
            && let Some(digit) = self.peek(0).filter(char::is_ascii_hexdigit)
        {
            digits.push(digit);
            self.at += 1;
        }
        if digits.is_empty() {
            let character = self.peek(0);
            self.at += usize::from(character.is_some());
            return character.unwrap_or('\u{fffd}');
        }
        if self.peek(0).is_some_and(is_space) {
            self.at += 1;
        }
        let code = u32::from_str_radix(&digits, 16).expect("six hexadecimal digits fit");
        char::from_u32(code)
            .filter(|&character| character != '\0')
            .unwrap_or('\u{fffd}')
    }

    /// CSS Syntax 4.3.4: consume an ident-like token.
    fn ident_like(&mut self) -> Token {
        let name = self.name().to_ascii_lowercase();
        if self.peek(0) != Some('(') {
            return Token::Ident;
        }
        self.at += 1;
        if name != "url" {
            return Token::Function(name);
        }
        let start = self.at;
        self.skip_space();
        if matches!(self.peek(0), Some('"' | '\'')) {
            self.at = start;
            return Token::Function(name);
        }
        self.url()
    }

    /// CSS Syntax 4.3.6: consume a url token.
    fn url(&mut self) -> Token {
        let mut url = String::new();
        loop {
            let Some(next) = self.peek(0) else {
                return Token::Url(url);
            };
            match next {
                ')' => {
                    self.at += 1;
                    return Token::Url(url);
                }
                space if is_space(space) => {
                    self.skip_space();
                    match self.peek(0) {
                        None | Some(')') => {}
                        Some(_) => return self.bad_url(),
                    }
                }
                '"' | '\'' | '(' => return self.bad_url(),
                other if is_non_printable(other) => return self.bad_url(),
                '\\' if self.is_escape(0) => {
                    self.at += 1;
                    url.push(self.escaped());
                }
                '\\' => return self.bad_url(),
                other => {
                    self.at += 1;
                    url.push(other);
                }
            }
        }
    }

    /// CSS Syntax 4.3.14: consume the remnants of a bad url.
    fn bad_url(&mut self) -> Token {
        while let Some(next) = self.peek(0) {
            if self.is_escape(0) {
                self.at += 1;
                self.escaped();
                continue;
            }
            self.at += 1;
            if next == ')' {
                break;
            }
        }
        Token::Other
    }

    /// CSS Syntax 4.3.5: consume a string token, behind its opening quote.
    fn text(&mut self, quote: char) -> Token {
        let mut text = String::new();
        while let Some(next) = self.peek(0) {
            if next == '\n' {
                return Token::Other;
            }
            self.at += 1;
            match next {
                '\\' if self.peek(0).is_none() => {}
                '\\' if self.peek(0) == Some('\n') => self.at += 1,
                '\\' => text.push(self.escaped()),
                end if end == quote => break,
                other => text.push(other),
            }
        }
        Token::Text(text)
    }
}

fn is_space(character: char) -> bool {
    matches!(character, '\n' | '\t' | ' ')
}

/// CSS Syntax 4.2: ident-start code point.
fn is_name_start(character: char) -> bool {
    character.is_ascii_alphabetic() || character == '_' || !character.is_ascii()
}

fn is_name(character: char) -> bool {
    is_name_start(character) || character.is_ascii_digit() || character == '-'
}

/// CSS Syntax 4.2: non-printable code point.
fn is_non_printable(character: char) -> bool {
    matches!(character, '\0'..='\u{8}' | '\u{b}' | '\u{e}'..='\u{1f}' | '\u{7f}')
}
