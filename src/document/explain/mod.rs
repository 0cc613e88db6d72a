//! Explanations of diagnostic codes and of flags, for `--explain` and the man pages: one row each.
//!
//! A code or a flag without a row does not compile.

mod codes;
mod flags;

pub use codes::CODES;
pub use flags::FLAGS;

/// An explanation of a name that stands in records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// The name.
    pub name: &'static str,
    /// What it says.
    pub meaning: &'static str,
    /// Why it matters.
    pub why: &'static str,
    /// An input that has it.
    pub example: &'static str,
    /// How to allow it, or to get rid of it.
    pub allow: &'static str,
}

/// A row of a table of explanations.
pub const fn row(
    name: &'static str,
    meaning: &'static str,
    why: &'static str,
    example: &'static str,
    allow: &'static str,
) -> Explanation {
    Explanation {
        name,
        meaning,
        why,
        example,
        allow,
    }
}

/// Whether a table has a row for a name; at compile time, to check that it is complete.
pub const fn has(rows: &[Explanation], name: &str) -> bool {
    let mut index = 0;
    while index < rows.len() {
        if equal(rows[index].name.as_bytes(), name.as_bytes()) {
            return true;
        }
        index += 1;
    }
    false
}

const fn equal(one: &[u8], other: &[u8]) -> bool {
    let mut index = 0;
    while index < one.len() && index < other.len() && one[index] == other[index] {
        index += 1;
    }
    index == one.len() && index == other.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_looked_up_by_their_whole_name() {
        let rows = [row("hyphen", "", "", "", "")];
        assert!(has(&rows, "hyphen"));
        assert!(!has(&rows, "hyphe") && !has(&rows, "hyphens") && !has(&rows, ""));
    }
}
