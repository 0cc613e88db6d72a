//! Explanations of rules, diagnostic codes and flags, whose texts are in `explanations.toml`.

use std::sync::LazyLock;

use toml::Table;

use crate::audit::rules::RULES;
use crate::document::diagnostic::CODES;
use crate::document::flags::Flags;

/// The explanation of a name in records, for `--explain` and the man pages.
pub(super) struct Explanation {
    /// `rule`, `diagnostic` or `flag`.
    pub(super) kind: &'static str,
    pub(super) name: &'static str,
    /// The meaning, in one sentence.
    pub(super) meaning: &'static str,
    pub(super) why: &'static str,
    /// An input that has it.
    pub(super) example: &'static str,
    /// Advice to allow or to avoid it.
    pub(super) allow: String,
}

/// The contents of `explanations.toml`: a table for each kind, and the advice that many names share.
static TEXTS: LazyLock<Table> = LazyLock::new(|| {
    // INVARIANT: a test reads every explanation.
    toml::from_str(include_str!("explanations.toml")).unwrap_or_default()
});

fn text(kind: &str, name: &str, key: &str) -> Option<&'static str> {
    TEXTS.get(kind)?.get(name)?.get(key)?.as_str()
}

impl Explanation {
    fn new(kind: &'static str, name: &'static str, meaning: Option<&'static str>) -> Self {
        let text = |key| text(kind, name, key).unwrap_or_default();
        let allow = text("allow");
        let shared = TEXTS.get("advice").and_then(|advice| advice.get(allow));
        let allow = shared.and_then(|shared| shared.as_str()).unwrap_or(allow);
        Explanation {
            kind,
            name,
            meaning: meaning.unwrap_or_else(|| text("meaning")),
            why: text("why"),
            example: text("example"),
            allow: allow.replace("FLAG", name),
        }
    }
}

/// Returns the explanations of all rules, in the order in which they are tried, of all diagnostic codes,
/// and of all flags.
pub(super) fn tables() -> [Vec<Explanation>; 3] {
    let rules = RULES
        .iter()
        .map(|rule| Explanation::new("rule", rule.name, None));
    let codes = CODES
        .iter()
        .map(|code| Explanation::new("diagnostic", code.name, None));
    let flags = Flags::NAMES.iter().zip(Flags::MEANINGS);
    let flags =
        flags.map(|(name, meaning)| Explanation::new("flag", name, Some(meaning.trim_start())));
    [rules.collect(), codes.collect(), flags.collect()]
}

#[cfg(test)]
#[path = "../../tests/unit/cli/explanations.rs"]
mod tests;
