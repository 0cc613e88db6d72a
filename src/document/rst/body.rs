//! Body elements: where paragraphs, titles, targets and directives are.

use std::collections::{BTreeMap, HashSet};
use std::ops::Range;

use super::directives::{Argument, Directive, DirectiveContents};
use super::ids::{TitleIds, make_id};
use super::inline::{self, InlineFind, simple_name, unescape};
use super::references::{entry, file, mail, numbered, role, target};
use super::uri::is_email;
use crate::bytes::steps::step;
use crate::document::ScanStart;
use crate::document::blocks::{
    BlockReader, BlockReference, BlockResults, JoinedText, Line, char_at, columns, lines, width,
};
use crate::document::events::Context;
use crate::document::flags::Flags;
use crate::document::options::RstRoles;

/// The state between blocks. Columns are those behind which lines belong to something.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Pending {
    #[default]
    None,
    /// Lines of a comment, of code and the like.
    Opaque(usize),
    /// A paragraph has ended in `::`.
    Literal(usize),
    /// The contents of a directive that holds text.
    Text(usize),
    /// The contents of a directive that holds lines of text.
    Rows(usize),
    /// The contents of a table of contents, and whether its entries are patterns.
    Toctree(usize, bool),
}

/// The reader of body elements.
#[derive(Debug, Default)]
pub(super) struct BodyReader {
    pending: Pending,
    titles: TitleIds,
    email: bool,
    roles: RstRoles,
    /// The depth of tables in tables.
    depth: usize,
}

/// Tables in tables are read this deep, deeper ones as text.
const DEEPEST_TABLE: usize = 16;

impl BlockReader for BodyReader {
    fn begin(&mut self, start: &ScanStart) {
        *self = BodyReader::new(self.email);
        self.roles = start.roles;
    }

    fn passes_over(&mut self, head: &[u8]) -> bool {
        let line = Line::new(head, 0..head.len());
        if let Pending::Literal(column) = self.pending
            && !line.is_empty()
            && line.indent > column
        {
            self.pending = Pending::Opaque(column);
        }
        !line.is_empty() && self.is_opaque(line)
    }

    fn read(&mut self, block: Range<usize>, results: &mut BlockResults<'_>) -> usize {
        let lines = lines(results.bytes, block.clone());
        self.lines(&lines, results);
        block.end
    }
}

/// Lines that begin with a block.
struct Block<'l> {
    /// The first line, or the part of it behind a mark.
    first: Line<'l>,
    /// The column of that mark, if its contents may have any column behind it.
    mark: Option<usize>,
    rest: &'l [Line<'l>],
}

impl BodyReader {
    /// Creates a reader, which reports mail addresses if `email` is set.
    pub(super) fn new(email: bool) -> Self {
        BodyReader {
            email,
            ..BodyReader::default()
        }
    }

    /// Returns whether a line belongs to what is not read, which it may end.
    fn is_opaque(&mut self, line: Line<'_>) -> bool {
        match self.pending {
            Pending::Opaque(column) if line.indent > column => return true,
            Pending::Opaque(_) => self.pending = Pending::None,
            _ => {}
        }
        false
    }

    /// Reads lines of which none is blank.
    fn lines(&mut self, lines: &[Line<'_>], results: &mut BlockResults<'_>) {
        let mut at = 0;
        while at < lines.len() {
            step(1);
            if at > 0 && self.is_opaque(lines[at]) {
                at += 1;
                continue;
            }
            at += self.pending_lines(&lines[at..], results);
            if at < lines.len() && self.pending == Pending::None {
                at += self.element(&lines[at..], results);
            }
        }
    }

    /// Reads the lines that belong to what is pending.
    fn pending_lines(&mut self, lines: &[Line<'_>], results: &mut BlockResults<'_>) -> usize {
        let inside = |column: usize| lines.iter().take_while(|line| line.indent > column).count();
        let count = match self.pending {
            Pending::None | Pending::Opaque(_) => return 0,
            Pending::Literal(column) => {
                self.pending = Pending::None;
                let first = lines[0];
                if first.indent > column {
                    self.pending = Pending::Opaque(column);
                    return inside(column);
                }
                // A quoted literal block.
                let mark = first.text()[0];
                let quoted = lines.iter().take_while(|line| {
                    line.indent == column && mark.is_ascii_punctuation() && line.text()[0] == mark
                });
                return quoted.count();
            }
            Pending::Text(column) | Pending::Rows(column) | Pending::Toctree(column, _) => {
                inside(column)
            }
        };
        if count == 0 {
            self.pending = Pending::None;
            return 0;
        }
        let own = &lines[..count];
        match self.pending {
            Pending::Text(_) => self.text(&JoinedText::new(own.iter().copied()), results, None),
            Pending::Rows(_) => {
                for &line in own {
                    self.text(&JoinedText::new([line]), results, None);
                }
            }
            Pending::Toctree(_, glob) => {
                for line in own {
                    entry(*line, glob, results);
                }
            }
            _ => {}
        }
        count
    }

    /// Reads the body element that begins with the first line; returns the number of lines.
    fn element(&mut self, lines: &[Line<'_>], results: &mut BlockResults<'_>) -> usize {
        let block = Block {
            first: lines[0],
            mark: None,
            rest: &lines[1..],
        };
        self.element_from(block, results)
    }

    /// Reads the body element that a block begins with; returns the number of lines.
    fn element_from(&mut self, block: Block<'_>, results: &mut BlockResults<'_>) -> usize {
        let Block {
            mut first,
            mut mark,
            rest,
        } = block;
        // Marks may stand behind one another: `- * 1. text`.
        loop {
            step(1);
            let text = first.text();
            let column = first.indent;
            if let Some(length) = bullet(text) {
                first = first.rest(first.start + length);
                mark = None;
            } else if let Some(length) = enumerator(text)
                && !rest.first().is_some_and(|next| {
                    next.indent == column && enumerator(next.text()).is_none() && mark.is_none()
                })
            {
                first = first.rest(first.start + length);
                mark = None;
            } else if let Some(length) = field_marker(text) {
                first = first.rest(first.start + length);
                mark = Some(column);
            } else if text == b">>>" || text.starts_with(b">>> ") {
                return 1 + rest.iter().take_while(|line| line.indent >= column).count();
            } else if text == b"|" || text.starts_with(b"| ") {
                let more = rest.iter().take_while(|line| line.indent > column).count();
                let own = std::iter::once(first.rest(first.start + 1));
                let own = own.chain(rest[..more].iter().copied());
                self.text(&JoinedText::new(own), results, None);
                return 1 + more;
            } else if text.starts_with(b"+-") && is_grid_border(text) && self.depth < DEEPEST_TABLE
            {
                return self.grid_table(first, rest, results);
            } else if text.starts_with(b"=") && is_simple_border(text, true) {
                return self.simple_table(first, rest, results);
            } else if text == b".." || text.starts_with(b".. ") {
                return self.explicit(first, rest, results);
            } else if text == b"__" || text.starts_with(b"__ ") {
                let more = rest.iter().take_while(|line| line.indent > column).count();
                let own = std::iter::once(first.rest(first.start + 2));
                let own = own.chain(rest[..more].iter().copied());
                self.target_uri(&JoinedText::new(own), 0, results);
                return 1 + more;
            } else {
                return self.paragraph(Block { first, mark, rest }, results);
            }
            if first.is_empty() {
                return 1;
            }
        }
    }

    /// Reads a title, or a paragraph, or the term of a definition.
    fn paragraph(&mut self, block: Block<'_>, results: &mut BlockResults<'_>) -> usize {
        let Block { first, mark, rest } = block;
        if let Some(count) = self.title(first, rest, results) {
            return count;
        }
        let mut column = first.indent;
        if let (Some(mark), Some(next)) = (mark, rest.first())
            && next.indent > mark
        {
            column = next.indent;
        }
        let more = rest.iter().take_while(|line| line.indent == column).count();
        let own = std::iter::once(first).chain(rest[..more].iter().copied());
        let joined = JoinedText::new(own);
        let text = &joined.text;
        let is_last = more == rest.len();
        if is_last && text.ends_with(b"::") && !text.ends_with(b"\\::") {
            // The column of the contents is not known where there is one line.
            let contents = mark.filter(|_| more == 0).map_or(column, |mark| mark + 4);
            self.pending = Pending::Literal(contents);
        }
        if text != b"::" {
            self.text(&joined, results, None);
        }
        1 + more
    }

    /// Reads a title with its lines.
    fn title(
        &mut self,
        first: Line<'_>,
        rest: &[Line<'_>],
        results: &mut BlockResults<'_>,
    ) -> Option<usize> {
        let text = first.text();
        let line_mark = mark_of_line(text);
        let (title, count) = if let (Some(mark), [title, under, ..]) = (line_mark, rest)
            && mark_of_line(under.text()) == Some(mark)
            && under.indent == first.indent
        {
            (*title, 3)
        } else if line_mark.is_some() && text.len() >= 4 && rest.is_empty() {
            // A transition.
            return Some(1);
        } else if line_mark.is_none()
            && let Some(under) = rest.first()
            && under.indent == first.indent
            && mark_of_line(under.text()).is_some()
            && (under.text().len() >= 4 || under.text().len() >= columns(text))
        {
            (first, 2)
        } else {
            return None;
        };
        let mut plain = Vec::new();
        self.text(&JoinedText::new([title]), results, Some(&mut plain));
        if results.marks {
            let id = self.titles.next(&plain);
            results.anchor(title.start, id);
        }
        Some(count)
    }

    /// Reads inline text.
    fn text(
        &self,
        joined: &JoinedText,
        results: &mut BlockResults<'_>,
        plain: Option<&mut Vec<u8>>,
    ) {
        let mut text = joined.text.clone();
        inline::escape(&mut text);
        let marks = results.marks;
        let mut found = |find: InlineFind| match find {
            InlineFind::Embedded(range) => {
                self.uri(
                    &text[range.clone()],
                    joined.range(range),
                    "reference",
                    results,
                );
            }
            InlineFind::Role(contents, name) => {
                match numbered(&text, contents.clone(), name.clone(), self.roles) {
                    Some((element, url)) => results.reference(BlockReference {
                        range: joined.range(contents),
                        text: Some(url),
                        element: Some(element),
                        ..BlockReference::default()
                    }),
                    None => role(&text, contents, name, joined, results),
                }
            }
            InlineFind::Target(name) if marks => {
                target(joined.range(name.clone()), &unescape(&text[name]), results);
            }
            InlineFind::Target(_) => {}
            InlineFind::Standalone(range) => {
                let raw = &text[range.clone()];
                results.reference(BlockReference {
                    range: joined.range(range),
                    text: raw.contains(&0).then(|| unescape(raw)),
                    context: Some(Context::Bare),
                    ..BlockReference::default()
                });
            }
            InlineFind::Email(range) => {
                let address = unescape(&text[range.clone()]);
                results.reference(mail(joined.range(range), &address));
            }
        };
        inline::read(&text, self.email, &mut found, plain);
    }

    /// Reports a URI that stands alone in markup, given as written and with its place in the document.
    fn uri(
        &self,
        raw: &[u8],
        place: Range<usize>,
        element: &'static str,
        results: &mut BlockResults<'_>,
    ) {
        let uri = inline::unescape_uri(raw);
        if is_email(&uri) {
            if self.email {
                results.reference(mail(place, &uri));
            }
            return;
        }
        let is_wrapped = raw.contains(&b'\n');
        results.reference(BlockReference {
            range: place,
            text: (uri != raw).then_some(uri),
            element: Some(element),
            flags: if is_wrapped {
                Flags::WRAPPED
            } else {
                Flags::NONE
            },
            ..BlockReference::default()
        });
    }

    /// Reports the URI of a hyperlink target that begins at an index, unless it is a name. Returns
    /// whether there is anything.
    fn target_uri(&self, joined: &JoinedText, from: usize, results: &mut BlockResults<'_>) -> bool {
        let mut text = joined.text.clone();
        inline::escape(&mut text);
        let start = from + text[from..].len() - text[from..].trim_ascii_start().len();
        let end = from + text[from..].trim_ascii_end().len();
        if start >= end {
            return false;
        }
        if !is_reference_name(&text[start..end]) {
            self.uri(
                &text[start..end],
                joined.range(start..end),
                "target",
                results,
            );
        }
        true
    }

    /// Reads explicit markup: the first line begins with `..`.
    fn explicit(
        &mut self,
        first: Line<'_>,
        rest: &[Line<'_>],
        results: &mut BlockResults<'_>,
    ) -> usize {
        let column = first.indent;
        let inner = first.rest(first.start + 2);
        let text = inner.text();
        let more = rest.iter().take_while(|line| line.indent > column).count();
        let own = &rest[..more];
        match text {
            [] if rest.is_empty() => return 1,
            [b'_', ..] if text.get(1).is_some_and(|&byte| byte != b' ') => {
                let lines = std::iter::once(inner).chain(own.iter().copied());
                let joined = JoinedText::new(lines);
                if let Some((name, uri)) = target_name(&joined.text) {
                    let has_uri = self.target_uri(&joined, uri, results);
                    if !has_uri && results.marks {
                        let mut name = joined.text[name].to_vec();
                        inline::escape(&mut name);
                        target(inner.range(), &unescape(&name), results);
                    }
                    return 1 + more;
                }
            }
            [b'[', ..] => {
                if let Some(length) = footnote(text) {
                    results.anchor(inner.start, make_id(&text[..length]));
                    let body = inner.rest(inner.start + length);
                    return match body.is_empty() {
                        true => 1,
                        false => {
                            let mark = Some(column);
                            self.element_from(
                                Block {
                                    first: body,
                                    mark,
                                    rest,
                                },
                                results,
                            )
                        }
                    };
                }
            }
            [b'|', next, ..] if *next != b' ' && *next != b'|' => {
                if let Some(length) = substitution(text) {
                    let name = inner.rest(inner.start + length);
                    if let Some(count) = self.directive(
                        Block {
                            first: name,
                            mark: Some(column),
                            rest: own,
                        },
                        results,
                    ) {
                        return 1 + count;
                    }
                }
            }
            _ => {
                if let Some(count) = self.directive(
                    Block {
                        first: inner,
                        mark: Some(column),
                        rest: own,
                    },
                    results,
                ) {
                    return 1 + count;
                }
            }
        }
        results.comment(first.range(), inner.range());
        self.pending = Pending::Opaque(column);
        1 + more
    }

    /// Reads the directive whose name a block begins with, with all its lines; `None` if there is none.
    fn directive(&mut self, block: Block<'_>, results: &mut BlockResults<'_>) -> Option<usize> {
        let (line, own) = (block.first, block.rest);
        let column = block.mark.unwrap_or(line.indent);
        let text = line.text();
        let end = simple_name(text, 0);
        let mark = end + usize::from(text.get(end) == Some(&b' '));
        let is_directive = end > 0
            && text[mark..].starts_with(b"::")
            && matches!(text.get(mark + 2), None | Some(b' '));
        if !is_directive {
            return None;
        }
        let row = Directive::named(&text[..end]);
        let argument = line.rest(line.start + mark + 2);
        let options = own
            .iter()
            .position(|line| is_option(line.text()))
            .unwrap_or(own.len());
        let more = &own[..options];
        let option_lines = own[options..].len();
        let mut glob = false;
        let mut nth = options;
        while nth < own.len() {
            let next = own[nth + 1..].iter();
            let count = next
                .take_while(|line| line.indent > own[nth].indent)
                .count();
            glob |= own[nth].text() == b":glob:";
            self.option(row, &own[nth..nth + 1 + count], results);
            nth += 1 + count;
        }
        let whole = || {
            let lines = std::iter::once(argument).filter(|line| !line.is_empty());
            JoinedText::new(lines.chain(more.iter().copied()))
        };
        match row.argument {
            Argument::Uri => {
                let joined = whole();
                let uri = joined.text.iter().copied();
                let uri = uri.filter(|byte| !byte.is_ascii_whitespace()).collect();
                file(joined.range(0..joined.text.len()), uri, row.name, results);
            }
            Argument::Path => {
                let joined = whole();
                let path = joined.text.iter().copied();
                let path = path.filter(|&byte| byte != b'\n').collect();
                file(joined.range(0..joined.text.len()), path, row.name, results);
            }
            Argument::Text | Argument::Other => {
                let is_text = row.argument == Argument::Text && !argument.is_empty();
                self.pending = match row.contents {
                    DirectiveContents::Body => Pending::None,
                    DirectiveContents::Text => Pending::Text(column),
                    DirectiveContents::Rows => Pending::Rows(column),
                    DirectiveContents::Toctree => Pending::Toctree(column, glob),
                    DirectiveContents::Opaque => Pending::Opaque(column),
                };
                if self.pending != Pending::None {
                    let mut lines = more;
                    if is_text {
                        self.text(&whole(), results, None);
                        lines = &[];
                    }
                    if !lines.is_empty() && row.contents != DirectiveContents::Opaque {
                        self.pending_lines(lines, results);
                    }
                    return Some(own.len());
                }
                if is_text {
                    let block = Block {
                        first: argument,
                        mark: Some(column),
                        rest: more,
                    };
                    let read = self.element_from(block, results) - 1;
                    self.nested(&more[read..], results);
                } else {
                    self.nested(more, results);
                }
                // What is pending there ends with the options.
                if option_lines > 0 {
                    self.pending = Pending::None;
                }
                return Some(own.len());
            }
        }
        if row.contents == DirectiveContents::Opaque {
            self.pending = Pending::Opaque(column);
        }
        Some(own.len())
    }

    /// Reads lines that belong to something else.
    fn nested(&mut self, own: &[Line<'_>], results: &mut BlockResults<'_>) {
        if self.depth < DEEPEST_TABLE {
            self.depth += 1;
            self.lines(own, results);
            self.depth -= 1;
        } else {
            self.text(&JoinedText::new(own.iter().copied()), results, None);
        }
    }

    /// Reads an option with its lines.
    fn option(
        &mut self,
        row: &'static Directive,
        own: &[Line<'_>],
        results: &mut BlockResults<'_>,
    ) {
        let Some(&first) = own.first() else { return };
        let text = first.text();
        let length = field_marker(text).unwrap_or(text.len());
        let name = text[..length].trim_ascii_end();
        let value = first.rest(first.start + length);
        let lines = std::iter::once(value).filter(|line| !line.is_empty());
        let joined = JoinedText::new(lines.chain(own[1..].iter().copied()));
        match (name, row.name) {
            (b":target:", "image" | "figure") => {
                self.target_uri(&joined, 0, results);
            }
            (b":file:", "raw" | "csv-table") => {
                let path = joined.text.clone();
                file(joined.range(0..path.len()), path, row.name, results);
            }
            (b":url:", "raw" | "csv-table") => {
                let place = joined.range(0..joined.text.len());
                self.uri(&joined.text, place, row.name, results);
            }
            (b":name:", _) => target(first.range(), &joined.text, results),
            _ => {}
        }
    }

    /// Reads a grid table: each cell has the lines between its bars.
    fn grid_table(
        &mut self,
        first: Line<'_>,
        rest: &[Line<'_>],
        results: &mut BlockResults<'_>,
    ) -> usize {
        let in_table =
            |line: &&Line| line.indent == first.indent && matches!(line.text(), [b'+' | b'|', ..]);
        let more = rest.iter().take_while(in_table).count();
        let mut cells = Cells::default();
        for line in std::iter::once(&first).chain(&rest[..more]) {
            cells.grid_line(*line, &mut |cell| self.cell(&cell, results));
        }
        cells.finish(&mut |cell| self.cell(&cell, results));
        1 + more
    }

    /// Reads a simple table up to the end of the block: each row has a part of each of its lines in
    /// each column.
    fn simple_table(
        &mut self,
        first: Line<'_>,
        rest: &[Line<'_>],
        results: &mut BlockResults<'_>,
    ) -> usize {
        let starts = simple_columns(first.text());
        let mut cells = Cells::default();
        for line in rest {
            let text = line.text();
            let is_border = is_simple_border(text, false)
                || text.starts_with(b"-") && text.iter().all(|byte| b"- ".contains(byte));
            let column = line.indent.saturating_sub(first.indent);
            let begins_row = starts.get(1).is_none_or(|&second| column < second);
            if is_border || begins_row {
                cells.finish(&mut |cell| self.cell(&cell, results));
            }
            if !is_border {
                cells.simple_line(*line, first.indent, &starts);
            }
        }
        cells.finish(&mut |cell| self.cell(&cell, results));
        1 + rest.len()
    }

    /// Reads the lines of a cell.
    fn cell(&mut self, cell: &[Line<'_>], results: &mut BlockResults<'_>) {
        let outer = std::mem::take(&mut self.pending);
        self.depth += 1;
        for block in cell.split(|line| line.is_empty()) {
            let passed = block.iter().take_while(|line| self.is_opaque(**line));
            let passed = passed.count();
            self.lines(&block[passed..], results);
        }
        self.depth -= 1;
        self.pending = outer;
    }
}

/// The cells of a table while its lines are read.
#[derive(Default)]
struct Cells<'a> {
    /// The column at which each begins, and its lines.
    open: BTreeMap<usize, Vec<Line<'a>>>,
    /// The columns of the corners so far.
    corners: HashSet<usize>,
}

impl<'a> Cells<'a> {
    fn push(&mut self, column: usize, line: Line<'a>) {
        self.open.entry(column).or_default().push(line);
    }

    /// Ends all cells.
    fn finish(&mut self, end: &mut dyn FnMut(Vec<Line<'a>>)) {
        std::mem::take(&mut self.open).into_values().for_each(end);
    }

    /// Takes a line of a grid table; a cell ends where a border crosses its columns.
    fn grid_line(&mut self, line: Line<'a>, end: &mut dyn FnMut(Vec<Line<'a>>)) {
        let text = line.text();
        let (mut from, mut column) = (0, 0);
        while from < text.len() {
            step(1);
            // The first byte is a bar or a corner.
            let start = from + 1;
            let border = text[start..].iter().take_while(|byte| b"-=".contains(byte));
            let border = start + border.count();
            let is_border = text[from] == b'+' && border > start && text.get(border) == Some(&b'+');
            let stop = match is_border {
                true => border,
                false => self.bar(text, start, column + 1),
            };
            let next = column + 1 + columns(&text[start..stop]);
            if is_border {
                self.corners.extend([column, next]);
                self.open.remove(&column).into_iter().for_each(&mut *end);
            } else if start < text.len() {
                let cell = line.part(line.start + start..line.start + stop);
                self.push(column, cell);
            }
            (from, column) = (stop, next);
        }
    }

    /// Returns the index of the bar or the corner at which a cell ends; the cell begins in a column.
    fn bar(&self, text: &[u8], start: usize, mut column: usize) -> usize {
        let mut at = start;
        while let Some(character) = char_at(text, at) {
            if matches!(character, '|' | '+') && self.corners.contains(&column) {
                return at;
            }
            column += width(character);
            // A byte that is not UTF-8 is a column of its own.
            at += match character {
                '\u{fffd}' => 1,
                _ => character.len_utf8(),
            };
        }
        text.len()
    }

    /// Takes a line of a simple table whose columns begin at `starts`.
    fn simple_line(&mut self, line: Line<'a>, margin: usize, starts: &[usize]) {
        let text = line.text();
        let mut at = 0;
        let mut column = line.indent.saturating_sub(margin);
        let mut nth = starts.partition_point(|&start| start <= column).max(1) - 1;
        while at < text.len() {
            let next = starts.get(nth + 1).copied().unwrap_or(usize::MAX);
            let from = at;
            while let Some(character) = char_at(text, at).filter(|_| column < next) {
                column += width(character);
                at += match character {
                    '\u{fffd}' => 1,
                    _ => character.len_utf8(),
                };
            }
            let cell = line.part(line.start + from..line.start + at);
            if !cell.is_empty() {
                self.push(nth, cell);
            }
            nth += 1;
        }
    }
}

/// Returns the columns at which those of a simple table begin.
fn simple_columns(border: &[u8]) -> Vec<usize> {
    let is_start = |&at: &usize| border[at] == b'=' && (at == 0 || border[at - 1] == b' ');
    (0..border.len()).filter(is_start).collect()
}

fn is_grid_border(text: &[u8]) -> bool {
    text.len() >= 4 && text.ends_with(b"-+") && text.iter().all(|byte| b"-+".contains(byte))
}

/// Returns whether a line is a border of a simple table: its top has several columns.
fn is_simple_border(text: &[u8], is_top: bool) -> bool {
    text.starts_with(b"=")
        && text.iter().all(|byte| b"= ".contains(byte))
        && (!is_top || text.contains(&b' '))
}

/// Returns the mark of a line that consists of one repeated mark.
fn mark_of_line(text: &[u8]) -> Option<u8> {
    let mark = *text.first()?;
    (mark.is_ascii_punctuation() && text.iter().all(|&byte| byte == mark)).then_some(mark)
}

/// Returns the length of a bullet with the blanks behind it.
fn bullet(text: &[u8]) -> Option<usize> {
    let length = match text {
        [b'-' | b'+' | b'*', ..] => 1,
        _ => ["\u{2022}", "\u{2023}", "\u{2043}"]
            .iter()
            .find(|bullet| text.starts_with(bullet.as_bytes()))?
            .len(),
    };
    marked(text, length)
}

/// Returns the length of a mark that ends at `end` and the blanks behind it, of which one is needed.
fn marked(text: &[u8], end: usize) -> Option<usize> {
    let blanks = text[end..].iter().take_while(|&&byte| byte == b' ').count();
    (blanks > 0 || end == text.len()).then_some(end + blanks)
}

/// Returns the length of an enumerator with the blanks behind it.
fn enumerator(text: &[u8]) -> Option<usize> {
    let open = usize::from(text.first() == Some(&b'('));
    let word = text[open..].iter().take(16);
    let length = word
        .take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'#')
        .count();
    let word = &text[open..open + length];
    let is_ordinal = match word {
        [] => false,
        [b'#'] => true,
        [byte] if byte.is_ascii_alphabetic() => true,
        _ => {
            word.iter().all(u8::is_ascii_digit)
                || word.iter().all(|byte| b"ivxlcdm".contains(byte))
                || word.iter().all(|byte| b"IVXLCDM".contains(byte))
        }
    };
    let close = text.get(open + length)?;
    let is_closed = matches!((open, close), (1, b')') | (0, b')' | b'.'));
    (is_ordinal && is_closed).then(|| marked(text, open + length + 1))?
}

/// Returns the length of a field's name between colons with the blanks behind it.
fn field_marker(text: &[u8]) -> Option<usize> {
    if !text.starts_with(b":") || matches!(text.get(1), None | Some(b':' | b' ')) {
        return None;
    }
    let mut at = 1;
    loop {
        step(1);
        at += memchr::memchr2(b':', b'\\', text.get(at..)?)?;
        if text[at] == b'\\' {
            at += 2;
            continue;
        }
        at += 1;
        match text.get(at) {
            None | Some(b' ') if text[at - 2] != b' ' => return marked(text, at),
            None | Some(b' ' | b'`') => return None,
            _ => {}
        }
    }
}

/// Returns whether a line begins with the option of a directive.
fn is_option(text: &[u8]) -> bool {
    field_marker(text).is_some()
}

/// Returns the length of `[label]`.
fn footnote(text: &[u8]) -> Option<usize> {
    let end = match text.get(1) {
        Some(b'*') => 2,
        Some(b'#') => simple_name(text, 2),
        _ => simple_name(text, 1),
    };
    let is_label = end > 1 && text.get(end) == Some(&b']');
    (is_label && matches!(text.get(end + 1), None | Some(b' '))).then_some(end + 1)
}

/// Returns the length of `|name|`.
fn substitution(text: &[u8]) -> Option<usize> {
    let ends = memchr::memchr_iter(b'|', &text[1..]).map(|at| at + 1);
    let mut ends = ends.filter(|&at| at > 1 && text[at - 1] != b' ' && text[at - 1] != b'\\');
    ends.find(|&at| matches!(text.get(at + 1), None | Some(b' ')))
        .map(|at| at + 1)
}

/// Splits a hyperlink target behind its `_`: the name, and the index behind the colon.
fn target_name(text: &[u8]) -> Option<(Range<usize>, usize)> {
    let start = 1;
    let is_end = |at: usize| matches!(text.get(at), None | Some(b' ' | b'\n'));
    if text[start..].starts_with(b"_:") {
        return is_end(start + 2).then_some((start..start, start + 2));
    }
    if let Some(name) = text
        .get(start + 1..)
        .filter(|_| text.get(start) == Some(&b'`'))
    {
        let mut ends = memchr::memmem::find_iter(name, b"`").map(|at| start + 1 + at);
        let close = ends.find(|&at| {
            let colon = at + 1 + usize::from(text.get(at + 1) == Some(&b' '));
            text.get(colon) == Some(&b':') && is_end(colon + 1) && text[at - 1] != b'\\'
        })?;
        let colon = close + 1 + usize::from(text.get(close + 1) == Some(&b' '));
        return Some((start + 1..close, colon + 1));
    }
    if matches!(text.get(start), Some(b'_' | b' ' | b'`')) {
        return None;
    }
    let mut colons = memchr::memchr_iter(b':', text);
    let is_escaped = |at: usize| {
        let marks = text[..at].iter().rev();
        marks.take_while(|&&byte| byte == b'\\').count() % 2 == 1
    };
    // One space may stand before the colon, but neither another one nor another colon.
    let name_end = |colon: usize| colon - usize::from(text[colon - 1] == b' ');
    let ends_name = |end: usize| end > start && !matches!(text[end - 1], b':' | b' ' | b'\n');
    let colon = colons
        .find(|&at| at > start && is_end(at + 1) && !is_escaped(at) && ends_name(name_end(at)))?;
    Some((start..name_end(colon), colon + 1))
}

/// Returns whether the text of a target is the name of another one: `name_` or `` `a phrase`_ ``.
fn is_reference_name(text: &[u8]) -> bool {
    let Some(name) = text.strip_suffix(b"_") else {
        return false;
    };
    match name {
        [b'`', inner @ .., b'`'] => !inner.is_empty() && inner[0] != b' ',
        _ => !name.is_empty() && simple_name(name, 0) == name.len(),
    }
}
