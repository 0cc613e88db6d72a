//! What the writer of a broken reference may have meant: the nearest name within two edits.

/// Looks for the candidate nearest to a name, at most two edits away; of equally near ones the
/// first by its bytes, in whatever order they are offered.
///
/// ```
/// use uriscan::audit::suggest::Nearest;
/// let mut nearest = Nearest::new(b"instal");
/// for id in ["usage", "install", "installed"] {
///     nearest.offer(id.as_bytes());
/// }
/// assert_eq!(nearest.found(), Some(&b"install"[..]));
/// ```
#[derive(Debug)]
pub struct Nearest<'a, 'b> {
    wanted: &'a [u8],
    letters: u64,
    best: Option<(usize, &'b [u8])>,
    row: Vec<usize>,
}

const LIMIT: usize = 2;

impl<'a, 'b> Nearest<'a, 'b> {
    /// Nothing has been offered yet.
    pub fn new(wanted: &'a [u8]) -> Self {
        Nearest {
            wanted,
            letters: letters(wanted),
            best: None,
            row: Vec::new(),
        }
    }

    /// Takes a candidate into account.
    pub fn offer(&mut self, candidate: &'b [u8]) {
        let limit = self.best.map_or(LIMIT, |(distance, _)| distance);
        if candidate.len().abs_diff(self.wanted.len()) > limit
            // A name that is all edits suggests nothing.
            || candidate.len().min(self.wanted.len()) <= LIMIT
            // One edit brings in one letter and takes out another at most.
            || (letters(candidate) ^ self.letters).count_ones() as usize > 2 * limit
        {
            return;
        }
        let Some(distance) = self.distance(candidate, limit) else {
            return;
        };
        let better = |(known, name): (usize, &[u8])| (distance, candidate) < (known, name);
        if distance > 0 && self.best.is_none_or(better) {
            self.best = Some((distance, candidate));
        }
    }

    /// The nearest of what was offered.
    pub fn found(&self) -> Option<&'b [u8]> {
        self.best.map(|(_, name)| name)
    }

    /// The number of edits (insert, delete, replace a byte) to a name, if at most `limit`.
    fn distance(&mut self, other: &[u8], limit: usize) -> Option<usize> {
        let row = &mut self.row;
        row.clear();
        row.extend(0..=other.len());
        for (i, byte) in self.wanted.iter().enumerate() {
            let mut diagonal = row[0];
            row[0] = i + 1;
            let mut least = row[0];
            for (j, other) in other.iter().enumerate() {
                let replaced = diagonal + usize::from(byte != other);
                diagonal = row[j + 1];
                row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
                least = least.min(row[j + 1]);
            }
            if least > limit {
                return None;
            }
        }
        row.last().copied().filter(|&distance| distance <= limit)
    }
}

/// A bit for each byte value that occurs, modulo 64.
fn letters(name: &[u8]) -> u64 {
    name.iter().fold(0, |set, byte| set | 1 << (byte & 63))
}
