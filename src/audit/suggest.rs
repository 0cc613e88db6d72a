//! What the writer of a broken reference may have meant: the nearest name within two edits.

/// The candidate nearest to `wanted`, when it is at most two edits away; the first of equals.
///
/// ```
/// use uriscan::audit::suggest::nearest;
/// let ids = ["install", "usage"];
/// assert_eq!(nearest(b"instal", ids.iter().map(|id| id.as_bytes())), Some(&b"install"[..]));
/// assert_eq!(nearest(b"nothing", ids.iter().map(|id| id.as_bytes())), None);
/// ```
pub fn nearest<'a>(wanted: &[u8], candidates: impl Iterator<Item = &'a [u8]>) -> Option<&'a [u8]> {
    let mut best: Option<(usize, &[u8])> = None;
    for candidate in candidates {
        let limit = best.map_or(LIMIT, |(distance, _)| distance.saturating_sub(1));
        if let Some(distance) = distance(wanted, candidate, limit)
            && best.is_none_or(|(known, _)| distance < known)
        {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

const LIMIT: usize = 2;

/// The number of edits (insert, delete, replace a byte) between two names, if at most `limit`.
fn distance(a: &[u8], b: &[u8], limit: usize) -> Option<usize> {
    // A name that is all edits suggests nothing.
    if a.len().abs_diff(b.len()) > limit || a.len().min(b.len()) <= limit {
        return None;
    }
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, byte) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        let mut least = row[0];
        for (j, other) in b.iter().enumerate() {
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
