//! The columns of the syntax around a reference, of which most rows share a few combinations.

use std::ops::Range;

use super::values::{ABSENT, Oversized, StringTable, is_same};
use crate::document::events::Context;
use crate::document::flags::Flags;
use crate::output::field;
use crate::resolver::Link;

/// The columns of names that a combination has a value for, in the order of [`SyntaxValues::names`].
pub(super) const NAME_COLUMNS: [usize; NAMES] = [9, 10, 11, 12, 14];
/// The column of flags.
pub(super) const FLAG_COLUMN: usize = 13;

const NAMES: usize = 5;

/// The index of `context`, which no row is without, among the names.
pub(super) const CONTEXT: usize = 1;

/// For each row the number of a combination. A combination may have several numbers.
#[derive(Clone, Debug)]
pub(super) struct SyntaxColumn {
    codes: Vec<i32>,
    combinations: Vec<Combination>,
    /// The texts of combinations.
    texts: StringTable,
    /// The code of the combination that was last found in each slot.
    slots: [i32; SLOTS],
}

/// A power of two.
const SLOTS: usize = 64;

#[derive(Clone, Debug)]
struct Combination {
    context: Context,
    flags: Flags,
    error: Option<&'static str>,
    /// The source of the base, the element and the attribute: their codes among the texts.
    texts: [i32; 3],
}

/// The values of a combination.
pub(super) struct SyntaxValues<'a> {
    pub(super) names: [Option<&'a [u8]>; NAMES],
    pub(super) flags: Flags,
}

impl Default for SyntaxColumn {
    fn default() -> Self {
        SyntaxColumn {
            codes: Vec::new(),
            combinations: Vec::new(),
            texts: StringTable::default(),
            slots: [ABSENT; SLOTS],
        }
    }
}

/// Returns the texts of a link: the source of the base, the element and the attribute.
#[inline(always)]
fn texts<'a>(link: &Link<'a>) -> [Option<&'a [u8]>; 3] {
    let source = link.base.map(|(_, source)| source);
    [source, link.element, link.attribute].map(|text| text.map(str::as_bytes))
}

impl SyntaxColumn {
    /// Adds the combination of a row, and returns the number of bytes that it takes.
    #[inline(always)]
    pub(super) fn push(&mut self, link: &Link<'_>) -> Result<usize, Oversized> {
        let texts = texts(link);
        if let Some(&code) = self.codes.last()
            && self.has(code, link, &texts)
        {
            self.codes.push(code);
            return Ok(0);
        }
        self.push_other(link, &texts)
    }

    #[inline(always)]
    fn has(&self, code: i32, link: &Link<'_>, texts: &[Option<&[u8]>; 3]) -> bool {
        let combination = &self.combinations[code as usize];
        let [source, element, attribute] = combination.texts;
        combination.context == link.context
            && combination.flags == link.flags
            && combination.error == field::error(link)
            && self.has_text(source, texts[0])
            && self.has_text(element, texts[1])
            && self.has_text(attribute, texts[2])
    }

    #[inline(always)]
    fn has_text(&self, code: i32, text: Option<&[u8]>) -> bool {
        match text {
            Some(text) => code != ABSENT && is_same(self.texts.get(code as usize), text),
            None => code == ABSENT,
        }
    }

    /// Adds a combination that differs from that of the row before.
    #[inline(never)]
    fn push_other(
        &mut self,
        link: &Link<'_>,
        texts: &[Option<&[u8]>; 3],
    ) -> Result<usize, Oversized> {
        let edge = |byte: Option<&u8>| usize::from(byte.copied().unwrap_or(0));
        let hash = texts.iter().flatten().fold(0, |hash: usize, text| {
            5 * hash + text.len() + 7 * edge(text.first()) + 31 * edge(text.last())
        });
        let slot = hash % SLOTS;
        let (mut code, mut added) = (self.slots[slot], 0);
        if code == ABSENT || !self.has(code, link, texts) {
            code = i32::try_from(self.combinations.len()).map_err(|_| Oversized)?;
            let mut codes = [ABSENT; 3];
            for (code, text) in codes.iter_mut().zip(texts) {
                if let Some(text) = text {
                    *code = self.texts.push(text)?;
                    added += text.len();
                }
            }
            let names = link.flags.names().map(str::len).sum::<usize>();
            let error = field::error(link);
            added += link.context.name().len() + names + error.map_or(0, str::len);
            self.combinations.push(Combination {
                context: link.context,
                flags: link.flags,
                error,
                texts: codes,
            });
            self.slots[slot] = code;
        }
        self.codes.push(code);
        Ok(added)
    }

    /// Returns the codes of the combinations of some rows.
    pub(super) fn codes(&self, rows: Range<usize>) -> &[i32] {
        self.codes.get(rows).unwrap_or_default()
    }

    /// Returns the number of combinations.
    pub(super) fn len(&self) -> usize {
        self.combinations.len()
    }

    /// Returns the values of a combination.
    pub(super) fn values(&self, code: i32) -> SyntaxValues<'_> {
        let combination = &self.combinations[code as usize];
        let texts = combination.texts;
        let [source, element, attribute] =
            texts.map(|code| (code != ABSENT).then(|| self.texts.get(code as usize)));
        let context = combination.context.name().as_bytes();
        let error = combination.error.map(str::as_bytes);
        SyntaxValues {
            names: [source, Some(context), element, attribute, error],
            flags: combination.flags,
        }
    }

    /// Returns a column without rows, with memory for as many.
    pub(super) fn emptied(&self) -> Self {
        SyntaxColumn {
            codes: Vec::with_capacity(self.codes.len()),
            ..SyntaxColumn::default()
        }
    }

    pub(super) fn clear(&mut self) {
        self.codes.clear();
        self.combinations.clear();
        self.texts.clear();
        self.slots = [ABSENT; SLOTS];
    }
}

#[cfg(test)]
mod tests {
    use super::super::column::{ColumnSet, columns};
    use super::*;

    #[test]
    fn the_columns_of_a_combination_are_those_of_syntax() {
        let columns = columns(ColumnSet::Core, false);
        let names = NAME_COLUMNS.map(|index| columns[index].column.name);
        let expected = ["base_source", "context", "element", "attribute", "error"];
        assert_eq!(names, expected);
        assert_eq!(names[CONTEXT], "context");
        assert_eq!(columns[FLAG_COLUMN].column.name, "flags");
    }
}
