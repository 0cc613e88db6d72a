//! Literals of configurations: YAML, TOML, JSON, and objects of JavaScript.
//!
//! What a configuration computes is [`Setting::Unknown`], and so is a key that an object may get from
//! another one.

use regex::bytes::Captures;
use saphyr_parser::{Event, Parser, ScalarStyle};
use serde_json::Value;

use crate::bytes::pattern::Pattern;

/// Deeper values are unknown.
const MAX_DEPTH: usize = 32;
/// Maximum number of entries of a map, all of which a lookup may visit; other keys are unknown.
const MAX_ENTRIES: usize = 1 << 14;
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
    /// Returns the value at a path of keys with dots between them, or this one; `None` if it is surely absent.
    pub(super) fn get(&self, path: &str) -> Option<&Setting> {
        if path.is_empty() {
            return Some(self);
        }
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

    pub(super) fn flag(&self, path: &str) -> Option<bool> {
        match self.get(path)? {
            Setting::Flag(flag) => Some(*flag),
            // As YAML 1.1 has them, where a flag is expected alone: they are words and codes of languages elsewhere.
            Setting::Text(text) => match &*text.to_ascii_lowercase() {
                "yes" | "on" => Some(true),
                "no" | "off" => Some(false),
                _ => None,
            },
            _ => None,
        }
    }

    /// Returns whether a flag is set, or the default if it is absent or computed.
    pub(super) fn flag_or(&self, path: &str, default: bool) -> bool {
        self.flag(path).unwrap_or(default)
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

    pub(super) fn strings(&self, path: &str) -> Vec<String> {
        self.texts(path).map(str::to_owned).collect()
    }

    pub(super) fn keys(&self, path: &str) -> impl Iterator<Item = &str> {
        self.entries(path).iter().map(|(key, _)| key.as_str())
    }

    /// Returns the value of a key that may have dots.
    pub(super) fn own(&self, key: &str) -> Option<&Setting> {
        let Setting::Map(map) = self else { return None };
        let mut entries = map.entries.iter();
        entries.find_map(|(own, value)| (own == key).then_some(value))
    }

    /// Returns whether one of the values is there whose paths have blanks between them.
    pub(super) fn has_any(&self, paths: &str) -> bool {
        paths.split(' ').any(|path| self.has(path))
    }

    /// Returns the entries of a map.
    pub(super) fn entries(&self, path: &str) -> &[(String, Setting)] {
        match self.get(path) {
            Some(Setting::Map(map)) => &map.entries,
            _ => &[],
        }
    }

    pub(super) fn as_text(&self) -> Option<&str> {
        self.text("")
    }

    pub(super) fn empty() -> Setting {
        Setting::Map(Map::default())
    }

    /// Adds the entries of another map that this one lacks, at all depths.
    pub(super) fn inherit(&mut self, other: Setting) {
        if let (Setting::Map(own), Setting::Map(other)) = (self, other) {
            own.is_open |= other.is_open;
            for (key, value) in other.entries {
                match own.entries.iter_mut().find(|(known, _)| *known == key) {
                    Some((_, known)) => known.inherit(value),
                    None => own.push(key, value),
                }
            }
        }
    }
}

impl Map {
    pub(super) fn values(&self) -> impl Iterator<Item = &Setting> {
        self.entries.iter().map(|(_, value)| value)
    }

    fn push(&mut self, key: String, value: Setting) {
        let has_place = self.entries.len() < MAX_ENTRIES;
        self.is_open |= !has_place;
        self.entries.extend(has_place.then_some((key, value)));
    }

    fn get(&self, key: &str) -> Option<&Setting> {
        // Hugo ignores the case, and no generator has keys that differ in it alone.
        let mut entries = self.entries.iter();
        let found = entries.rfind(|(known, _)| known.eq_ignore_ascii_case(key));
        let found = found.map(|(_, value)| value);
        found.or(self.is_open.then_some(&UNKNOWN))
    }
}

/// Returns whether a text contains one of the names with blanks between them.
pub(super) fn names_any(text: &str, names: &str) -> bool {
    names.split(' ').any(|name| text.contains(name))
}

/// Reads the first document of YAML; values with tags of programs are unknown. `None` if it does not
/// parse.
pub(super) fn yaml(text: &str) -> Option<Setting> {
    let mut open: Vec<(Setting, Option<String>)> = Vec::new();
    for event in Parser::new_from_str(text) {
        let value = match event.ok()?.0 {
            Event::Scalar(text, style, _, tag) => match tag {
                Some(tag) if !tag.is_yaml_core_schema() || tag.suffix.contains('/') => {
                    Setting::Unknown
                }
                _ => scalar(text.into_owned(), style),
            },
            start @ (Event::SequenceStart(..) | Event::MappingStart(..)) => {
                open.push((opened(&start, open.len()), None));
                continue;
            }
            Event::SequenceEnd | Event::MappingEnd => open.pop()?.0,
            Event::Alias(_) => Setting::Unknown,
            Event::DocumentEnd => return Some(Setting::Null),
            _ => continue,
        };
        match open.last_mut() {
            None => return Some(value),
            Some((Setting::List(list), _)) => list.push(value),
            Some((Setting::Map(map), key)) => match (key.take(), value) {
                (Some(name), value) if name == "<<" && value == Setting::Unknown => {
                    map.is_open = true
                }
                (Some(name), value) => map.push(name, value),
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

/// Returns an empty list or map, or an unknown value that drops its elements.
fn opened(start: &Event<'_>, depth: usize) -> Setting {
    match start {
        _ if depth > MAX_DEPTH => Setting::Unknown,
        Event::SequenceStart(_, None) => Setting::List(Vec::new()),
        Event::MappingStart(_, None) => Setting::empty(),
        _ => Setting::Unknown,
    }
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
    toml::from_str(text).ok().map(setting)
}

pub(super) fn json(text: &str) -> Option<Setting> {
    serde_json::from_str(text).ok().map(setting)
}

/// The key of the text of a date in a value that is read from TOML.
const TOML_DATE: &str = "$__toml_private_datetime";

fn setting(value: Value) -> Setting {
    match value {
        Value::Null => Setting::Null,
        Value::Bool(flag) => Setting::Flag(flag),
        Value::String(text) => Setting::Text(text),
        Value::Number(number) => Setting::Text(number.to_string()),
        Value::Array(list) => Setting::List(list.into_iter().map(setting).collect()),
        Value::Object(mut members) => match members.remove(TOML_DATE) {
            Some(date) => setting(date),
            None => {
                let members = members.into_iter();
                map(members.map(|(key, value)| (key, setting(value))))
            }
        },
    }
}

pub(super) fn map(entries: impl Iterator<Item = (String, Setting)>) -> Setting {
    let mut map = Map::default();
    entries.for_each(|(key, value)| map.push(key, value));
    Setting::Map(map)
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

/// Reads the metadata at the start of a page: YAML after `---`, TOML after `+++`, or JSON. `Null` without any; `None` if
/// it does not parse, or nothing closes it.
pub(super) fn front_matter(text: &[u8]) -> Option<Setting> {
    let text = &text[..text.len().min(MAX_FRONT_MATTER)];
    let text = text.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(text);
    let fenced = FENCED.captures(text);
    let own = |group| {
        let own = fenced.as_ref()?.get(group)?.as_bytes();
        Some(String::from_utf8_lossy(own))
    };
    let values = match text {
        [b'{', b'{', ..] => return Some(Setting::Null),
        [b'{', ..] => {
            let mut values = serde_json::Deserializer::from_slice(text).into_iter();
            values.next()?.ok().map(setting)
        }
        // Without an end it is a thematic break.
        _ if fenced.is_none() && text.len() < MAX_FRONT_MATTER => return Some(Setting::Null),
        _ if !FENCE.is_match(text) => return Some(Setting::Null),
        _ => match (own(1), own(2)) {
            (Some(own), _) => yaml(&own),
            (None, own) => own.and_then(|own| toml(&own)),
        },
    };
    values.map(|values| {
        if values == Setting::Null {
            Setting::empty()
        } else {
            values
        }
    })
}

static FENCE: Pattern = Pattern::new(r"^(?:---|\+\+\+)[ \t\x0C\r]*(?:\n|$)");
static FENCED: Pattern = Pattern::new(
    r"^(?:---[ \t\x0C\r]*\n(|.*?\n)---|\+\+\+[ \t\x0C\r]*\n(|.*?\n)\+\+\+)[ \t\x0C\r]*(?:\n|$)",
);

/// Reads the object that a module exports.
pub(super) fn javascript(text: &str) -> Setting {
    let words = ["export default", "module.exports =", "module.exports="];
    let mut words = words.iter();
    let start = words.find_map(|word| Some(text.find(word)? + word.len()));
    start.map_or(Setting::Unknown, |start| javascript_at(text, start))
}

/// Reads the value at an index of a module.
pub(super) fn javascript_at(text: &str, at: usize) -> Setting {
    ScriptReader::new(text, at).value()
}

/// Reads the values after each occurrence of a text in a module; those past [`MAX_READ`] are unknown.
pub(super) fn values_after<'t>(text: &'t str, word: &'t str) -> impl Iterator<Item = Setting> + 't {
    let (mut reader, mut left) = (ScriptReader::new(text, 0), MAX_READ);
    text.match_indices(word).map(move |(at, word)| {
        reader.at = at + word.len();
        let start = reader.at;
        let value = (left > 0).then(|| reader.value());
        left = left.saturating_sub(reader.at - start);
        value.unwrap_or_default()
    })
}

/// Bytes that are read for the values of one search: one that does not end reaches to the end of the module.
const MAX_READ: usize = 16 << 20;
/// Constants that are looked up for one value, or for the values of one search.
const MAX_NAMES: usize = 64;

static BLANK: Pattern = Pattern::new(r"^(?:[ \t\n\x0C\r]|//[^\n]*|/\*(?:.*?\*/|.*))+");
static NUMBER: Pattern = Pattern::new(r"^-?\.?[0-9][A-Za-z0-9.]*");
static WORD: Pattern = Pattern::new(r"^[A-Za-z0-9_$\x80-\xFF]+");
/// A string that is not computed.
static QUOTED: Pattern = Pattern::new(
    r#"^(?:'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\$]|\\.|\$+[^{`\\$])*\$*)`)"#,
);
static ESCAPE: Pattern =
    Pattern::new(r"\\(?:u\{([[:xdigit:]]{1,6})\}|u([[:xdigit:]]{4})|x([[:xdigit:]]{2})|(.))");
/// A string, or a template.
static STRING: Pattern = Pattern::new(r#"^(?:'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`[^`]*`?)"#);
/// The end of an expression. An operator, a call or a property makes another value of it; an assertion of a type
/// does not.
static END: Pattern = Pattern::new(r"^(?:$|[,}\]);]|as |satisfies )");
/// A statement without a semicolon before it.
static STATEMENT: Pattern =
    Pattern::new(r"^(?:export |module\.|const |let |var |function |import )");

struct ScriptReader<'t> {
    text: &'t str,
    at: usize,
    depth: usize,
    names: usize,
}

impl<'t> ScriptReader<'t> {
    fn new(text: &'t str, at: usize) -> Self {
        ScriptReader {
            text,
            at,
            depth: 0,
            names: 0,
        }
    }

    fn rest(&self) -> &'t [u8] {
        self.text.as_bytes().get(self.at..).unwrap_or_default()
    }

    /// Takes the text that a pattern matches here.
    fn take(&mut self, pattern: &Pattern) -> &'t str {
        let start = self.at;
        self.at += pattern.find(self.rest()).map_or(0, |found| found.len());
        self.text.get(start..self.at).unwrap_or_default()
    }

    fn peek(&mut self) -> Option<u8> {
        if let Some(b'/' | b' ' | b'\t'..=b'\r') = self.rest().first() {
            self.take(&BLANK);
        }
        self.rest().first().copied()
    }

    fn takes(&mut self, byte: u8) -> bool {
        let is_next = self.peek() == Some(byte);
        self.at += usize::from(is_next);
        is_next
    }

    /// Reads an expression up to a comma or a closing bracket of the expression around it.
    fn value(&mut self) -> Setting {
        let value = self.deeper();
        self.peek();
        let rest = self.rest();
        let is_whole = END.is_match(rest) || self.depth == 0 && STATEMENT.is_match(rest);
        self.skip();
        value.filter(|_| is_whole).unwrap_or_default()
    }

    fn deeper(&mut self) -> Option<Setting> {
        self.depth += 1;
        let is_read = self.depth <= MAX_DEPTH;
        let value = is_read.then(|| self.literal()).flatten();
        self.depth -= 1;
        value
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
                let number = self.take(&NUMBER);
                (!number.is_empty()).then(|| Setting::Text(number.to_owned()))
            }
            _ => self.named(),
        }
    }

    /// Reads a name: a word of the language, a constant of the file, or a function that returns its
    /// first argument.
    fn named(&mut self) -> Option<Setting> {
        let word = self.take(&WORD);
        match word {
            "true" => return Some(Setting::Flag(true)),
            "false" => return Some(Setting::Flag(false)),
            "null" | "undefined" => return Some(Setting::Null),
            _ => {}
        }
        let is_configuration = word.starts_with("define") || word.starts_with("with");
        if is_configuration && self.takes(b'(') {
            return Some(match self.takes(b')') {
                true => Setting::empty(),
                false => self.value(),
            });
        }
        self.names += 1;
        if word.is_empty() || self.names > MAX_NAMES {
            return None;
        }
        let start = ["const", "let", "var"].iter().find_map(|kind| {
            let start = format!("{kind} {word}");
            self.text.match_indices(&start).find_map(|(at, start)| {
                let at = at + start.len();
                let (sign, _) = self.text[at..].split_once('=')?;
                let is_own = sign.is_empty() || sign.starts_with([' ', ':']);
                (is_own && !sign.contains(['\n', ';'])).then_some(at + sign.len() + 1)
            })
        })?;
        let here = std::mem::replace(&mut self.at, start);
        let value = self.deeper();
        self.at = here;
        value
    }

    fn string(&mut self) -> Option<String> {
        let found = QUOTED.captures(self.rest())?;
        let text = (1..4).find_map(|group| found.get(group))?.as_bytes();
        self.at += found[0].len();
        let text = ESCAPE.replace_all(text, |found: &Captures<'_>| match &found[0][1..] {
            b"n" => b"\n".to_vec(),
            b"\n" => Vec::new(),
            other => {
                let digits = (1..4).find_map(|group| found.get(group));
                let digits = digits.map(|digits| String::from_utf8_lossy(digits.as_bytes()));
                let code = digits.map(|digits| u32::from_str_radix(&digits, 16).ok());
                let character = code.map(|code| code.and_then(char::from_u32).map(String::from));
                character.map_or(other.to_vec(), |own| own.unwrap_or_default().into_bytes())
            }
        });
        Some(String::from_utf8_lossy(&text).into_owned())
    }

    /// Takes the comma after an element that begins at an index; `None` if the list does not end.
    fn comma(&mut self, start: usize) -> Option<()> {
        self.takes(b',');
        (self.at > start && self.peek().is_some()).then_some(())
    }

    fn array(&mut self) -> Option<Setting> {
        self.at += 1;
        let mut list = Vec::new();
        while !self.takes(b']') {
            let start = self.at;
            list.push(self.value());
            self.comma(start)?;
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
                _ => Some(self.take(&WORD).to_owned()).filter(|word| !word.is_empty()),
            };
            if key.is_none() || !self.takes(b':') {
                // A variable of the name of the key; a method and another object are unknown.
                self.at = start;
            }
            let value = self.value();
            match key {
                Some(key) => map.push(key, value),
                // Another object, or a computed key.
                None => map.is_open = true,
            }
            self.comma(start)?;
        }
        Some(Setting::Map(map))
    }

    /// Skips to the comma or the bracket after an expression.
    fn skip(&mut self) {
        let mut depth = 0;
        while let Some(byte) = self.peek() {
            match byte {
                b',' | b';' | b')' | b']' | b'}' if depth == 0 => return,
                b'(' | b'[' | b'{' => depth += 1,
                b')' | b']' | b'}' => depth -= 1,
                b'\'' | b'"' | b'`' if !self.take(&STRING).is_empty() => continue,
                _ => {}
            }
            self.at += 1;
        }
    }
}

#[cfg(test)]
#[path = "../../../tests/unit/audit/source_config.rs"]
mod tests;
