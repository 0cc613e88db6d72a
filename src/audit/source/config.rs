//! Literals of configurations: YAML, TOML, JSON, and objects of JavaScript.
//!
//! What a configuration computes is [`Setting::Unknown`], and so is a key that an object may get from
//! another one.

use saphyr_parser::{Event, Parser, ScalarStyle};

/// Deeper values are unknown.
const MAX_DEPTH: usize = 32;
/// The longest front matter that is read, in bytes.
const MAX_FRONT_MATTER: usize = 64 << 10;

#[derive(Clone, Debug, Default, PartialEq)]
pub(super) enum Setting {
    #[default]
    Unknown,
    Null,
    Flag(bool),
    /// Numbers too.
    Text(String),
    List(Vec<Setting>),
    Map(Map),
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Map {
    pub(super) entries: Vec<(String, Setting)>,
    /// Other keys may come from elsewhere.
    is_open: bool,
}

static UNKNOWN: Setting = Setting::Unknown;

impl Setting {
    /// Returns the value at a path of keys with dots between them; `None` if it is surely absent.
    pub(super) fn get(&self, path: &str) -> Option<&Setting> {
        path.split('.').try_fold(self, |value, key| match value {
            Setting::Unknown => Some(&UNKNOWN),
            Setting::Map(map) => map.get(key),
            _ => None,
        })
    }

    pub(super) fn text(&self, path: &str) -> Option<&str> {
        match self.get(path)? {
            Setting::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Returns a text or the default; `None` if it is computed.
    pub(super) fn text_or(&self, path: &str, default: &str) -> Option<String> {
        match self.get(path) {
            None | Some(Setting::Null) => Some(default.to_owned()),
            Some(Setting::Text(text)) => Some(text.clone()),
            Some(_) => None,
        }
    }

    /// Returns whether a flag is set, or the default if it is absent or computed.
    pub(super) fn flag_or(&self, path: &str, default: bool) -> bool {
        match self.get(path) {
            Some(Setting::Flag(flag)) => *flag,
            _ => default,
        }
    }

    /// Returns whether a value is there, computed or not.
    pub(super) fn has(&self, path: &str) -> bool {
        !matches!(self.get(path), None | Some(Setting::Null))
    }

    pub(super) fn is_unknown(&self, path: &str) -> bool {
        self.get(path) == Some(&Setting::Unknown)
    }

    /// Returns the elements of a list; a text is a list of one.
    pub(super) fn list(&self, path: &str) -> &[Setting] {
        match self.get(path) {
            Some(Setting::List(values)) => values,
            Some(text @ Setting::Text(_)) => std::slice::from_ref(text),
            _ => &[],
        }
    }

    pub(super) fn texts(&self, path: &str) -> impl Iterator<Item = &str> {
        self.list(path).iter().filter_map(Setting::as_text)
    }

    /// Returns the entries of a map.
    pub(super) fn entries(&self, path: &str) -> &[(String, Setting)] {
        match self.get(path) {
            Some(Setting::Map(map)) => &map.entries,
            _ => &[],
        }
    }

    pub(super) fn as_text(&self) -> Option<&str> {
        match self {
            Setting::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Returns a map with this value alone.
    pub(super) fn into_member(self, key: &str) -> Setting {
        map(std::iter::once((key.to_owned(), self)))
    }

    /// Adds the entries of another map that this one lacks, at all depths.
    pub(super) fn inherit(&mut self, other: Setting) {
        if let (Setting::Map(own), Setting::Map(other)) = (self, other) {
            own.is_open |= other.is_open;
            for (key, value) in other.entries {
                match own.entries.iter_mut().find(|(known, _)| *known == key) {
                    Some((_, known)) => known.inherit(value),
                    None => own.entries.push((key, value)),
                }
            }
        }
    }
}

impl Map {
    fn get(&self, key: &str) -> Option<&Setting> {
        let found = self.entries.iter().rfind(|(known, _)| known == key);
        let found = found.map(|(_, value)| value);
        found.or(self.is_open.then_some(&UNKNOWN))
    }
}

/// Reads the first document of YAML; values with tags of programs are unknown. `None` if it does not
/// parse.
pub(super) fn yaml(text: &str) -> Option<Setting> {
    let mut open: Vec<(Setting, Option<String>)> = Vec::new();
    for event in Parser::new_from_str(text) {
        let (mut value, mut is_closed) = (Setting::Unknown, true);
        match event.ok()?.0 {
            Event::Scalar(text, style, _, tag) => {
                if tag.is_none_or(|tag| tag.is_yaml_core_schema() && !tag.suffix.contains('/')) {
                    value = scalar(text.into_owned(), style);
                }
            }
            Event::SequenceStart(_, tag) | Event::MappingStart(_, tag)
                if tag.is_some() || open.len() > MAX_DEPTH =>
            {
                // The elements are read into a value that drops them.
                (value, is_closed) = (Setting::Unknown, false);
            }
            Event::SequenceStart(..) => (value, is_closed) = (Setting::List(Vec::new()), false),
            Event::MappingStart(..) => (value, is_closed) = (Setting::Map(Map::default()), false),
            Event::SequenceEnd | Event::MappingEnd => value = open.pop()?.0,
            Event::Alias(_) => {}
            Event::DocumentEnd => return Some(Setting::Null),
            _ => continue,
        }
        if !is_closed {
            open.push((value, None));
            continue;
        }
        match open.last_mut() {
            None => return Some(value),
            Some((Setting::List(list), _)) => list.push(value),
            Some((Setting::Map(map), key)) => match (key.take(), value) {
                (Some(name), value) if name == "<<" && value == Setting::Unknown => {
                    map.is_open = true
                }
                (Some(name), value) => map.entries.push((name, value)),
                (None, Setting::Text(name)) => *key = Some(name),
                (None, Setting::Flag(flag)) => *key = Some(flag.to_string()),
                (None, _) => *key = Some(String::new()),
            },
            Some(_) => {}
        }
    }
    // Nothing but comments.
    Some(Setting::Null)
}

fn scalar(text: String, style: ScalarStyle) -> Setting {
    match (&*text, style) {
        ("" | "~" | "null" | "Null" | "NULL", ScalarStyle::Plain) => Setting::Null,
        ("true" | "True" | "TRUE", ScalarStyle::Plain) => Setting::Flag(true),
        ("false" | "False" | "FALSE", ScalarStyle::Plain) => Setting::Flag(false),
        _ => Setting::Text(text),
    }
}

pub(super) fn toml(text: &str) -> Option<Setting> {
    fn of(value: toml::Value, depth: usize) -> Setting {
        if depth > MAX_DEPTH {
            return Setting::Unknown;
        }
        match value {
            toml::Value::Boolean(flag) => Setting::Flag(flag),
            toml::Value::String(text) => Setting::Text(text),
            toml::Value::Array(list) => {
                Setting::List(list.into_iter().map(|value| of(value, depth + 1)).collect())
            }
            toml::Value::Table(table) => map(table
                .into_iter()
                .map(|(key, value)| (key, of(value, depth + 1)))),
            toml::Value::Integer(number) => Setting::Text(number.to_string()),
            toml::Value::Float(number) => Setting::Text(number.to_string()),
            toml::Value::Datetime(date) => Setting::Text(date.to_string()),
        }
    }
    let table: toml::Table = text.parse().ok()?;
    Some(of(toml::Value::Table(table), 0))
}

pub(super) fn json(text: &str) -> Option<Setting> {
    fn of(value: serde_json::Value) -> Setting {
        match value {
            serde_json::Value::Null => Setting::Null,
            serde_json::Value::Bool(flag) => Setting::Flag(flag),
            serde_json::Value::String(text) => Setting::Text(text),
            serde_json::Value::Number(number) => Setting::Text(number.to_string()),
            serde_json::Value::Array(list) => Setting::List(list.into_iter().map(of).collect()),
            serde_json::Value::Object(members) => {
                map(members.into_iter().map(|(key, value)| (key, of(value))))
            }
        }
    }
    serde_json::from_str(text).ok().map(of)
}

fn map(entries: impl Iterator<Item = (String, Setting)>) -> Setting {
    Setting::Map(Map {
        entries: entries.collect(),
        is_open: false,
    })
}

/// Reads a file by the extension of its name; with other extensions it is a module of JavaScript.
pub(super) fn read(name: &str, text: &str) -> Option<Setting> {
    match name.rsplit_once('.').map_or("", |(_, extension)| extension) {
        "toml" => toml(text),
        "yml" | "yaml" => yaml(text),
        "json" => json(text),
        _ => Some(javascript(text)),
    }
}

/// The metadata at the start of a page.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum FrontMatter {
    Absent,
    Values(Setting),
    /// It does not parse, or nothing closes it.
    Broken,
}

impl FrontMatter {
    /// Returns the values, `Null` without any; `None` if they do not parse.
    pub(super) fn into_values(self) -> Option<Setting> {
        match self {
            FrontMatter::Broken => None,
            FrontMatter::Absent => Some(Setting::Null),
            FrontMatter::Values(values) => Some(values),
        }
    }

    /// Reads the start of a page: YAML after `---`, TOML after `+++`, or JSON.
    pub(super) fn of(text: &[u8]) -> FrontMatter {
        let text = &text[..text.len().min(MAX_FRONT_MATTER)];
        let text = text.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(text);
        let first = text.split(|&byte| byte == b'\n').next().unwrap_or_default();
        let parse = match first.trim_ascii_end() {
            b"---" => yaml,
            b"+++" => toml,
            [b'{', ..] if first.first() == Some(&b'{') && first.get(1) != Some(&b'{') => {
                return json_at_start(text);
            }
            _ => return FrontMatter::Absent,
        };
        let mark = &first[..3];
        let mut at = first.len() + 1;
        let start = at;
        while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
            let line = rest.split(|&byte| byte == b'\n').next().unwrap_or_default();
            if line.trim_ascii_end() == mark {
                let own = String::from_utf8_lossy(&text[start..at]);
                return parse(&own).map_or(FrontMatter::Broken, FrontMatter::Values);
            }
            at += line.len() + 1;
        }
        // Without an end it is a thematic break.
        match text.len() {
            MAX_FRONT_MATTER => FrontMatter::Broken,
            _ => FrontMatter::Absent,
        }
    }
}

fn json_at_start(text: &[u8]) -> FrontMatter {
    let mut values =
        serde_json::Deserializer::from_slice(text).into_iter::<Box<serde_json::value::RawValue>>();
    match values.next() {
        Some(Ok(first)) => json(first.get()).map_or(FrontMatter::Broken, FrontMatter::Values),
        _ => FrontMatter::Broken,
    }
}

/// Reads the object that a module exports.
pub(super) fn javascript(text: &str) -> Setting {
    let export = ["export default", "module.exports =", "module.exports="];
    let start = export
        .iter()
        .find_map(|word| Some(text.find(word)? + word.len()));
    start.map_or(Setting::Unknown, |start| javascript_at(text, start))
}

/// Reads the value at an index of a module.
pub(super) fn javascript_at(text: &str, at: usize) -> Setting {
    let mut reader = ScriptReader {
        text,
        at,
        depth: 0,
        names: 0,
    };
    reader.value()
}

/// Reads the values after each occurrence of a text in a module; those past [`MAX_READ`] are unknown.
pub(super) fn values_after<'t>(text: &'t str, word: &'t str) -> impl Iterator<Item = Setting> + 't {
    let (mut left, mut names) = (MAX_READ, 0);
    text.match_indices(word).map(move |(at, word)| {
        let start = at + word.len();
        let mut reader = ScriptReader {
            text,
            at: start,
            depth: 0,
            names,
        };
        let value = (left > 0).then(|| reader.value());
        left = left.saturating_sub(reader.at - start);
        names = reader.names;
        value.unwrap_or_default()
    })
}

/// Bytes that are read for the values of one search: one that does not end reaches to the end of the module.
const MAX_READ: usize = 16 << 20;
/// Constants that are looked up for one value, or for the values of one search.
const MAX_NAMES: usize = 64;

struct ScriptReader<'t> {
    text: &'t str,
    at: usize,
    depth: usize,
    names: usize,
}

impl ScriptReader<'_> {
    fn rest(&self) -> &[u8] {
        self.text.as_bytes().get(self.at..).unwrap_or_default()
    }

    fn peek(&mut self) -> Option<u8> {
        loop {
            let rest = self.rest();
            let blank = rest.iter().position(|byte| !byte.is_ascii_whitespace());
            self.at += blank.unwrap_or(rest.len());
            let rest = self.rest();
            let end = match rest {
                [b'/', b'/', ..] => memchr::memchr(b'\n', rest),
                [b'/', b'*', ..] => memchr::memmem::find(rest, b"*/").map(|at| at + 2),
                _ => return rest.first().copied(),
            };
            self.at += end.unwrap_or(rest.len());
        }
    }

    fn takes(&mut self, byte: u8) -> bool {
        let is_next = self.peek() == Some(byte);
        self.at += usize::from(is_next);
        is_next
    }

    /// Reads an expression up to a comma or a closing bracket of the expression around it.
    fn value(&mut self) -> Setting {
        self.depth += 1;
        let value = if self.depth > MAX_DEPTH {
            None
        } else {
            self.literal()
        };
        self.depth -= 1;
        // An operator, a call or a property makes another value of it; an assertion of a type does not.
        let is_whole = match self.peek() {
            None | Some(b',' | b'}' | b']' | b')' | b';') => true,
            _ => {
                let rest = self.rest();
                rest.starts_with(b"as ")
                    || rest.starts_with(b"satisfies ")
                    || self.is_next_statement()
            }
        };
        self.skip();
        value.filter(|_| is_whole).unwrap_or_default()
    }

    /// Returns whether a statement without a semicolon before it begins here.
    fn is_next_statement(&self) -> bool {
        let rest = self.rest();
        let words: [&[u8]; 7] = [
            b"export ",
            b"module.",
            b"const ",
            b"let ",
            b"var ",
            b"function ",
            b"import ",
        ];
        self.depth == 0 && words.iter().any(|word| rest.starts_with(word))
    }

    fn literal(&mut self) -> Option<Setting> {
        match self.peek()? {
            b'{' => self.object(),
            b'[' => self.array(),
            b'(' => {
                self.at += 1;
                let value = self.value();
                self.takes(b')').then_some(value)
            }
            b'\'' | b'"' | b'`' => self.string().map(Setting::Text),
            b'0'..=b'9' | b'-' | b'.' => {
                let end = self
                    .rest()
                    .iter()
                    .skip(1)
                    .position(|byte| !byte.is_ascii_alphanumeric() && *byte != b'.');
                let end = end.map_or(self.rest().len(), |end| end + 1);
                let number = String::from_utf8_lossy(&self.rest()[..end]).into_owned();
                self.at += end;
                Some(Setting::Text(number))
            }
            _ => self.named(),
        }
    }

    fn word(&mut self) -> String {
        let is_name = |byte: &u8| {
            byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$') || *byte >= 0x80
        };
        let rest = self.rest();
        let end = rest
            .iter()
            .position(|byte| !is_name(byte))
            .unwrap_or(rest.len());
        let word = String::from_utf8_lossy(&rest[..end]).into_owned();
        self.at += end;
        word
    }

    /// Reads a name: a word of the language, a constant of the file, or a function that returns its
    /// first argument.
    fn named(&mut self) -> Option<Setting> {
        let word = self.word();
        match &*word {
            "true" => return Some(Setting::Flag(true)),
            "false" => return Some(Setting::Flag(false)),
            "null" | "undefined" => return Some(Setting::Null),
            _ => {}
        }
        let is_configuration = word.starts_with("define") || word.starts_with("with");
        if is_configuration && self.takes(b'(') {
            if self.takes(b')') {
                return Some(Setting::Map(Map::default()));
            }
            return Some(self.value());
        }
        self.names += 1;
        if word.is_empty() || self.names > MAX_NAMES {
            return None;
        }
        let mut declarations = ["const ", "let ", "var "].iter().flat_map(|kind| {
            let start = format!("{kind}{word}");
            let text = self.text;
            let found: Vec<usize> = text
                .match_indices(&start)
                .map(|(at, _)| at + start.len())
                .collect();
            found
        });
        let start = declarations.find_map(|at| {
            let rest = &self.text[at..];
            let ends = rest.starts_with([' ', ':', '=']);
            let equals = rest.find('=').filter(|_| ends)?;
            (!rest[..equals].contains(['\n', ';'])).then_some(at + equals + 1)
        })?;
        let mut reader = ScriptReader {
            text: self.text,
            at: start,
            depth: self.depth,
            names: self.names,
        };
        reader.depth += 1;
        let value = (reader.depth < MAX_DEPTH)
            .then(|| reader.literal())
            .flatten();
        self.names = reader.names;
        value
    }

    fn string(&mut self) -> Option<String> {
        let rest = &self.text[self.at..];
        let quote = rest.chars().next()?;
        let (mut text, mut characters) = (String::new(), rest.char_indices().skip(1));
        while let Some((at, character)) = characters.next() {
            match character {
                _ if character == quote => {
                    self.at += at + 1;
                    return Some(text);
                }
                '\\' => match characters.next()?.1 {
                    'n' => text.push('\n'),
                    '\n' => {}
                    other => text.push(other),
                },
                '\n' if quote != '`' => return None,
                '$' if quote == '`' && rest[at..].starts_with("${") => return None,
                _ => text.push(character),
            }
        }
        None
    }

    fn array(&mut self) -> Option<Setting> {
        self.at += 1;
        let mut list = Vec::new();
        while !self.takes(b']') {
            let start = self.at;
            if self.rest().starts_with(b"...") {
                self.skip();
                list.push(Setting::Unknown);
            } else {
                list.push(self.value());
            }
            self.takes(b',');
            if self.at == start || self.peek().is_none() {
                return None;
            }
        }
        Some(Setting::List(list))
    }

    fn object(&mut self) -> Option<Setting> {
        self.at += 1;
        let mut map = Map::default();
        while !self.takes(b'}') {
            let start = self.at;
            let key = match self.peek()? {
                b'\'' | b'"' => self.string(),
                _ => Some(self.word()).filter(|word| !word.is_empty()),
            };
            match key {
                Some(key) if self.takes(b':') => {
                    let value = self.value();
                    map.entries.push((key, value));
                }
                // A method, or a variable of the name of the key.
                Some(key) => {
                    map.entries.push((key, Setting::Unknown));
                    self.skip();
                }
                // Another object, or a computed key.
                None => {
                    map.is_open = true;
                    self.skip();
                }
            }
            self.takes(b',');
            if self.at == start || self.peek().is_none() {
                return None;
            }
        }
        Some(Setting::Map(map))
    }

    /// Skips to the comma or the bracket after an expression.
    fn skip(&mut self) {
        let mut depth = 0;
        while let Some(byte) = self.peek() {
            match byte {
                b',' | b';' if depth == 0 => return,
                b'(' | b'[' | b'{' => depth += 1,
                b')' | b']' | b'}' if depth == 0 => return,
                b')' | b']' | b'}' => depth -= 1,
                b'\'' | b'"' if self.string().is_some() => continue,
                b'`' => {
                    let rest = &self.rest()[1..];
                    self.at += memchr::memchr(b'`', rest).map_or(rest.len(), |end| end + 1);
                }
                _ => {}
            }
            self.at += 1;
            while !self.text.is_char_boundary(self.at) {
                self.at += 1;
            }
        }
    }
}

#[cfg(test)]
#[path = "../../../tests/unit/audit/source_config.rs"]
mod tests;
