//! Body elements: where paragraphs, titles, targets and directives are.

use std::collections::{BTreeMap, HashSet};
use std::ops::Range;

use regex::bytes::Match;

use super::boundary::{escaped, label_end, simple_name, unescape, unescape_uri};
use super::directives::{self, Argument, DirectiveContents};
use super::ids::TitleIds;
use super::uri::is_email;
use crate::bytes::class::{run_end, run_start};
use crate::bytes::pattern::Pattern;
use crate::bytes::steps::step;
use crate::document::ScanStart;
use crate::document::blocks::{
    BlockReader, BlockResults, Line, char_at, columns, join, lines, width,
};
use crate::document::docutils::make_id;
use crate::document::flags::Flags;
use crate::document::options::RstRoles;
use crate::document::source_text::DecodedText;

/// The state between blocks, by the columns of lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Pending {
    #[default]
    None,
    /// A paragraph has ended in `::`.
    Literal(usize),
    /// The contents of a directive, and whether the entries of a table of contents are patterns.
    Contents(DirectiveContents, usize, bool),
}

impl Pending {
    /// The lines of a comment, of code and the like.
    fn opaque(column: usize) -> Pending {
        Pending::Contents(DirectiveContents::Opaque, column, false)
    }
}

static BULLET: Pattern = Pattern::new(r"^(?:[-+*]|\xE2\x80[\xA2\xA3]|\xE2\x81\x83)(?: +|$)");
static ENUMERATOR: Pattern = Pattern::new(
    r"^(?:\((?:#|[A-Za-z]|[0-9]{1,16}|[ivxlcdm]{1,16}|[IVXLCDM]{1,16})\)|(?:#|[A-Za-z]|[0-9]{1,16}|[ivxlcdm]{1,16}|[IVXLCDM]{1,16})[.)])(?: +|$)",
);
/// A name up to the first colon that may end it.
static FIELD: Pattern = Pattern::new(r"^:(?:\\.|[^\\: ])(?:\\.|[^\\])*?:(?: +|`|$)");
static GRID_BORDER: Pattern = Pattern::new(r"^\+-[-+]*-\+$");
/// The first border of a simple table, which has several columns.
static SIMPLE_TOP: Pattern = Pattern::new(r"^=[= ]* [= ]*$");
static SIMPLE_BORDER: Pattern = Pattern::new(r"^(?:=[= ]*|-[- ]*)$");
/// `|name|`
static SUBSTITUTION: Pattern = Pattern::new(r"^\|.*?[^ \\]\|(?: |$)");
/// An anonymous target, or one whose name is in backquotes, up to the colon; the group is the name.
static QUOTED_TARGET: Pattern = Pattern::new(r"^_(?:_|`((?:.*?[^\\])??)` ?):(?:[ \n]|$)");

#[derive(Debug, Default)]
pub(super) struct BodyReader {
    pub(super) results: BlockResults,
    pending: Pending,
    titles: TitleIds,
    pub(super) email: bool,
    pub(super) roles: RstRoles,
    /// The depth of tables in tables.
    depth: usize,
}

/// Maximum depth of tables in tables; deeper ones are read as text.
const MAX_TABLE_DEPTH: usize = 16;

impl BlockReader for BodyReader {
    fn begin(&mut self, start: &ScanStart) {
        *self = BodyReader {
            results: std::mem::take(&mut self.results),
            roles: start.roles,
            ..BodyReader::new(self.email)
        };
    }

    fn results(&mut self) -> &mut BlockResults {
        &mut self.results
    }

    fn passes_over(&mut self, head: &[u8]) -> bool {
        let line = Line::new(head, 0..head.len());
        if let Pending::Literal(column) = self.pending
            && !line.is_empty()
            && line.indent > column
        {
            self.pending = Pending::opaque(column);
        }
        !line.is_empty() && self.is_opaque(line)
    }

    fn read(&mut self, bytes: &[u8], block: Range<usize>) {
        self.lines(&lines(bytes, block));
    }
}

/// Returns the number of the first lines that are indented by more than a column.
fn deeper(lines: &[Line<'_>], column: usize) -> usize {
    lines.iter().take_while(|line| line.indent > column).count()
}

impl BodyReader {
    /// Creates a reader, which reports mail addresses if `email` is set.
    pub(super) fn new(email: bool) -> Self {
        BodyReader {
            email,
            ..BodyReader::default()
        }
    }

    /// Returns whether a line belongs to skipped lines, which it may end.
    fn is_opaque(&mut self, line: Line<'_>) -> bool {
        let Pending::Contents(DirectiveContents::Opaque, column, _) = self.pending else {
            return false;
        };
        if line.indent <= column {
            self.pending = Pending::None;
        }
        line.indent > column
    }

    fn lines(&mut self, lines: &[Line<'_>]) {
        let mut at = 0;
        while at < lines.len() {
            step(1);
            if at > 0 && self.is_opaque(lines[at]) {
                at += 1;
                continue;
            }
            at += self.pending_lines(&lines[at..]);
            if at < lines.len() && self.pending == Pending::None {
                at += self.element(lines[at], None, &lines[at + 1..]);
            }
        }
    }

    /// Reads the lines that belong to the pending state.
    fn pending_lines(&mut self, lines: &[Line<'_>]) -> usize {
        let (contents, column, glob) = match self.pending {
            Pending::None | Pending::Contents(DirectiveContents::Opaque, ..) => return 0,
            Pending::Literal(column) => {
                self.pending = Pending::None;
                let first = lines[0];
                if first.indent > column {
                    self.pending = Pending::opaque(column);
                    return deeper(lines, column);
                }
                // A quoted literal block.
                let mark = first.text()[0];
                let quoted = lines.iter().take_while(|line| {
                    line.indent == column && mark.is_ascii_punctuation() && line.text()[0] == mark
                });
                return quoted.count();
            }
            Pending::Contents(contents, column, glob) => (contents, column, glob),
        };
        let own = &lines[..deeper(lines, column)];
        if own.is_empty() {
            self.pending = Pending::None;
        } else if contents == DirectiveContents::Text {
            self.text(&join(None, own), None);
        } else if contents == DirectiveContents::Rows {
            for &line in own {
                self.text(&join(Some(line), &[]), None);
            }
        } else {
            for &line in own {
                self.entry(line, glob);
            }
        }
        own.len()
    }

    /// Reads the body element that begins with a line, or with its part after a mark, whose column is given
    /// if its contents may have any column after it; returns the number of lines.
    fn element(&mut self, mut first: Line, mut mark: Option<usize>, rest: &[Line]) -> usize {
        // Marks may follow one another: `- * 1. text`.
        loop {
            step(1);
            let text = first.text();
            let column = first.indent;
            let is_item = |_: &Match| {
                let is_other = |text: &[u8]| mark.is_none() && !ENUMERATOR.is_match(text);
                (rest.first()).is_none_or(|next| next.indent != column || !is_other(next.text()))
            };
            let enumerator = || ENUMERATOR.find(text).filter(is_item);
            if let Some(marker) = BULLET.find(text).or_else(enumerator) {
                first = first.rest(first.start + marker.len());
                mark = None;
            } else if let Some(length) = field_marker(text) {
                let end = text[..length].trim_ascii_end().len() - 1;
                let name = first.part(first.start + 1..first.start + end);
                self.text(&join(Some(name), &[]), None);
                first = first.rest(first.start + length);
                mark = Some(column);
            } else if is_marked(text, b">>>") {
                return 1 + rest.iter().take_while(|line| line.indent >= column).count();
            } else if is_marked(text, b"|") {
                let own = &rest[..deeper(rest, column)];
                self.text(&join(Some(first.rest(first.start + 1)), own), None);
                return 1 + own.len();
            } else if self.depth < MAX_TABLE_DEPTH && GRID_BORDER.is_match(text) {
                return self.grid_table(first, rest);
            } else if SIMPLE_TOP.is_match(text) {
                return self.simple_table(first, rest);
            } else if is_marked(text, b"..") {
                return self.explicit(first, rest);
            } else if is_marked(text, b"__") {
                let own = &rest[..deeper(rest, column)];
                self.target_uri(&join(Some(first.rest(first.start + 2)), own), 0);
                return 1 + own.len();
            } else {
                return self.paragraph(first, mark, rest);
            }
            if first.is_empty() {
                return 1;
            }
        }
    }

    /// Reads a title, or a paragraph, or the term of a definition.
    fn paragraph(&mut self, first: Line<'_>, mark: Option<usize>, rest: &[Line<'_>]) -> usize {
        if let Some(count) = self.title(first, rest) {
            return count;
        }
        let mut column = first.indent;
        if let (Some(mark), Some(next)) = (mark, rest.first())
            && next.indent > mark
        {
            column = next.indent;
        }
        let more = rest.iter().take_while(|line| line.indent == column).count();
        let joined = join(Some(first), &rest[..more]);
        let text = &joined.bytes;
        let is_last = more == rest.len();
        if is_last && text.ends_with(b"::") && !text.ends_with(b"\\::") {
            // The column of the contents is unknown after a single line.
            let contents = mark.filter(|_| more == 0).map_or(column, |mark| mark + 4);
            self.pending = Pending::Literal(contents);
        }
        if text != b"::" {
            self.text(&joined, None);
        }
        1 + more
    }

    fn title(&mut self, first: Line<'_>, rest: &[Line<'_>]) -> Option<usize> {
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
        self.text(&join(Some(title), &[]), Some(&mut plain));
        if self.results.marks {
            let id = self.titles.next(&plain);
            self.results.anchor(title.start, &id);
        }
        Some(count)
    }

    /// Reports a URI that is alone in markup, given as written and with its place in the document.
    pub(super) fn uri(&mut self, raw: &[u8], place: Range<usize>, element: &'static str) {
        let uri = unescape_uri(raw);
        if !is_email(&uri) {
            let mut found = self.results.element(place, &uri, element);
            found.flags = Flags::WRAPPED.when(raw.contains(&b'\n'));
            self.results.reference(found);
        } else if self.email {
            self.results.mail(place, &uri);
        }
    }

    /// Reports the URI of a hyperlink target at an index, unless it is a name. Returns whether there is any text.
    fn target_uri(&mut self, joined: &DecodedText, from: usize) -> bool {
        let text = escaped(&joined.bytes);
        let start = from + text[from..].len() - text[from..].trim_ascii_start().len();
        let end = from + text[from..].trim_ascii_end().len();
        if start >= end {
            return false;
        }
        if is_reference_name(&text[start..end]) {
            self.name_use(joined, start..end - 1, &text[start..end]);
        } else {
            self.uri(&text[start..end], joined.range(start..end), "target");
        }
        true
    }

    /// Reads explicit markup: the first line begins with `..`.
    fn explicit(&mut self, first: Line<'_>, rest: &[Line<'_>]) -> usize {
        let column = first.indent;
        let inner = first.rest(first.start + 2);
        let text = inner.text();
        let own = &rest[..deeper(rest, column)];
        match text {
            [] if rest.is_empty() => return 1,
            [b'_', next, ..] if *next != b' ' => {
                let joined = join(Some(inner), own);
                if let Some((name, uri)) = target_name(&joined.bytes) {
                    if !self.target_uri(&joined, uri) {
                        let name = unescape(&escaped(&joined.bytes[name]));
                        self.target(inner.range(), &name);
                    }
                    return 1 + own.len();
                }
            }
            [b'[', ..] => {
                if let Some(length) = footnote(text) {
                    self.results.anchor(inner.start, &make_id(&text[..length]));
                    let body = inner.rest(inner.start + length);
                    if body.is_empty() {
                        return 1;
                    }
                    return self.element(body, Some(column), rest);
                }
            }
            [b'|', next, ..] if !b" |".contains(next) => {
                if let Some(length) = SUBSTITUTION.trimmed_length(text)
                    && self.directive(inner.rest(inner.start + length), column, own)
                {
                    return 1 + own.len();
                }
            }
            _ if self.directive(inner, column, own) => return 1 + own.len(),
            _ => {}
        }
        self.results.comment(first.range(), text);
        self.pending = Pending::opaque(column);
        1 + own.len()
    }

    /// Reads the directive whose name a line begins with, and its other lines; returns whether it was read.
    fn directive(&mut self, line: Line<'_>, column: usize, own: &[Line<'_>]) -> bool {
        let text = line.text();
        let end = simple_name(text, 0);
        let mark = end + usize::from(text.get(end) == Some(&b' '));
        let is_directive = end > 0
            && text[mark..].starts_with(b"::")
            && matches!(text.get(mark + 2), None | Some(b' '));
        if !is_directive {
            return false;
        }
        let (name, kind, contents) = directives::row(&text[..end]);
        let argument = Some(line.rest(line.start + mark + 2)).filter(|line| !line.is_empty());
        let is_option = |line: &Line| field_marker(line.text()).is_some();
        let options = own.iter().position(is_option).unwrap_or(own.len());
        let (more, options) = own.split_at(options);
        let mut glob = false;
        let mut nth = 0;
        while let Some(&option) = options.get(nth) {
            glob |= option.text() == b":glob:";
            let lines = &options[nth + 1..];
            let lines = &lines[..deeper(lines, option.indent)];
            self.option(name, option, lines);
            nth += 1 + lines.len();
        }
        let whole = || join(argument, more);
        let has_path = matches!(kind, Argument::Uri | Argument::Path);
        if has_path {
            let joined = whole();
            let is_kept = |byte: &u8| match kind {
                Argument::Uri => !byte.is_ascii_whitespace(),
                _ => *byte != b'\n',
            };
            let path = joined.bytes.iter().copied().filter(is_kept).collect();
            self.file(joined.range(0..joined.bytes.len()), path, name);
        }
        let argument = argument.filter(|_| kind == Argument::Text);
        if contents != DirectiveContents::Body {
            self.pending = Pending::Contents(contents, column, glob);
            if argument.is_some() {
                self.text(&whole(), None);
            } else if !more.is_empty() && contents != DirectiveContents::Opaque {
                self.pending_lines(more);
            }
        } else if !has_path {
            self.pending = Pending::None;
            let read = argument.map_or(0, |first| self.element(first, Some(column), more) - 1);
            self.nested(&more[read..]);
            // The pending state there ends with the options.
            if !options.is_empty() {
                self.pending = Pending::None;
            }
        }
        true
    }

    fn nested(&mut self, own: &[Line<'_>]) {
        if self.depth < MAX_TABLE_DEPTH {
            self.depth += 1;
            self.lines(own);
            self.depth -= 1;
        } else {
            self.text(&join(None, own), None);
        }
    }

    /// Reads an option of a directive with its other lines.
    fn option(&mut self, directive: &'static str, first: Line<'_>, more: &[Line<'_>]) {
        let text = first.text();
        let length = field_marker(text).unwrap_or(text.len());
        let name = text[..length].trim_ascii_end();
        let value = first.rest(first.start + length);
        let joined = join(Some(value).filter(|line| !line.is_empty()), more);
        let place = joined.range(0..joined.bytes.len());
        match (name, directive) {
            (b":target:", "image" | "figure") => {
                self.target_uri(&joined, 0);
            }
            (b":file:", "raw" | "csv-table") => self.file(place, joined.bytes, directive),
            (b":url:", "raw" | "csv-table") => self.uri(&joined.bytes, place, directive),
            (b":name:", _) => self.target(first.range(), &joined.bytes),
            _ => {}
        }
    }

    /// Reads a grid table: each cell has the lines between its bars.
    fn grid_table(&mut self, first: Line<'_>, rest: &[Line<'_>]) -> usize {
        let in_table =
            |line: &&Line| line.indent == first.indent && matches!(line.text(), [b'+' | b'|', ..]);
        let more = rest.iter().take_while(in_table).count();
        let mut cells = GridCells::default();
        for line in std::iter::once(&first).chain(&rest[..more]) {
            for cell in cells.grid_line(*line) {
                self.cell(&cell);
            }
        }
        self.close(&mut cells);
        1 + more
    }

    /// Reads a simple table up to the end of the block: rows have parts of their lines in each column.
    fn simple_table(&mut self, first: Line<'_>, rest: &[Line<'_>]) -> usize {
        let border = first.text();
        let is_start = |&at: &usize| border[at] == b'=' && (at == 0 || border[at - 1] == b' ');
        let starts: Vec<_> = (0..border.len()).filter(is_start).collect();
        let mut cells = GridCells::default();
        for line in rest {
            let text = line.text();
            let is_border = SIMPLE_BORDER.is_match(text);
            let column = line.indent.saturating_sub(first.indent);
            let begins_row = starts.get(1).is_none_or(|&second| column < second);
            if is_border || begins_row {
                self.close(&mut cells);
            }
            if !is_border {
                cells.simple_line(*line, first.indent, &starts);
            }
        }
        self.close(&mut cells);
        1 + rest.len()
    }

    /// Reads the cells that are open.
    fn close(&mut self, cells: &mut GridCells<'_>) {
        for cell in std::mem::take(&mut cells.open).into_values() {
            self.cell(&cell);
        }
    }

    fn cell(&mut self, cell: &[Line<'_>]) {
        let outer = std::mem::take(&mut self.pending);
        self.depth += 1;
        for block in cell.split(|line| line.is_empty()) {
            let passed = block.iter().take_while(|line| self.is_opaque(**line));
            let passed = passed.count();
            self.lines(&block[passed..]);
        }
        self.depth -= 1;
        self.pending = outer;
    }
}

#[derive(Default)]
struct GridCells<'a> {
    /// The column at which each begins, and its lines.
    open: BTreeMap<usize, Vec<Line<'a>>>,
    /// The columns of the corners so far.
    corners: HashSet<usize>,
}

impl<'a> GridCells<'a> {
    fn push(&mut self, column: usize, line: Line<'a>) {
        self.open.entry(column).or_default().push(line);
    }

    /// Takes a line of a grid table; returns the cells that end there: a border crosses their columns.
    fn grid_line(&mut self, line: Line<'a>) -> Vec<Vec<Line<'a>>> {
        let mut ended = Vec::new();
        let text = line.text();
        let (mut from, mut column) = (0, 0);
        while from < text.len() {
            step(1);
            // The first byte is a bar or a corner.
            let start = from + 1;
            let border = run_end(text, start, |byte| b"-=".contains(&byte));
            let is_border = text[from] == b'+' && border > start && text.get(border) == Some(&b'+');
            let stop = if is_border {
                border
            } else {
                self.bar(text, start, column + 1)
            };
            let next = column + 1 + columns(&text[start..stop]);
            if is_border {
                self.corners.extend([column, next]);
                ended.extend(self.open.remove(&column));
            } else if start < text.len() {
                let cell = line.part(line.start + start..line.start + stop);
                self.push(column, cell);
            }
            (from, column) = (stop, next);
        }
        ended
    }

    /// Returns the index of the bar or the corner at which a cell ends; the cell begins in a column.
    fn bar(&self, text: &[u8], start: usize, mut column: usize) -> usize {
        let mut at = start;
        while let Some(character) = char_at(text, at) {
            if matches!(character, '|' | '+') && self.corners.contains(&column) {
                return at;
            }
            column += width(character);
            at += byte_length(character);
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
                at += byte_length(character);
            }
            let cell = line.part(line.start + from..line.start + at);
            if !cell.is_empty() {
                self.push(nth, cell);
            }
            nth += 1;
        }
    }
}

/// Returns the length of a character of [`char_at`]: a byte that is not UTF-8 is a separate column.
fn byte_length(character: char) -> usize {
    match character {
        '\u{fffd}' => 1,
        _ => character.len_utf8(),
    }
}

/// Returns whether a line is a mark, or begins with one and a space.
fn is_marked(text: &[u8], mark: &[u8]) -> bool {
    text.strip_prefix(mark)
        .is_some_and(|rest| matches!(rest, [] | [b' ', ..]))
}

/// Returns the mark of a line that consists of one repeated mark.
fn mark_of_line(text: &[u8]) -> Option<u8> {
    let mark = *text.first()?;
    (mark.is_ascii_punctuation() && text.iter().all(|&byte| byte == mark)).then_some(mark)
}

/// Returns the length of a field's name between colons with the blanks after it.
fn field_marker(text: &[u8]) -> Option<usize> {
    let found = FIELD.find(text)?;
    let marker = found.as_bytes().trim_ascii_end();
    let is_name = marker.ends_with(b":") && !marker.ends_with(b" :");
    is_name.then_some(found.len())
}

/// Returns the length of `[label]`.
fn footnote(text: &[u8]) -> Option<usize> {
    let end = label_end(text, 1)?;
    let is_label = text.get(end) == Some(&b']');
    (is_label && matches!(text.get(end + 1), None | Some(b' '))).then_some(end + 1)
}

/// Splits a hyperlink target that begins with `_`: the name, and the index after the colon.
fn target_name(text: &[u8]) -> Option<(Range<usize>, usize)> {
    let is_end = |at: usize| matches!(text.get(at), None | Some(b' ' | b'\n'));
    if let Some([whole, name]) = QUOTED_TARGET.group_at(text, 0) {
        return Some((name, text[..whole.end].trim_ascii_end().len()));
    }
    if matches!(text.get(1), Some(b'_' | b' ' | b'`')) {
        return None;
    }
    let mut colons = memchr::memchr_iter(b':', text);
    let is_escaped = |at: usize| (at - run_start(text, 0..at, |byte| byte == b'\\')) % 2 == 1;
    // One space may be before the colon, but neither another one nor another colon.
    let name_end = |colon: usize| colon - usize::from(text[colon - 1] == b' ');
    let ends_name = |end: usize| end > 1 && !matches!(text[end - 1], b':' | b' ' | b'\n');
    let colon = colons
        .find(|&at| at > 1 && is_end(at + 1) && !is_escaped(at) && ends_name(name_end(at)))?;
    Some((1..name_end(colon), colon + 1))
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
