//! Dot segments, removed in place from the end of a buffer.

use crate::uri::rules::ExcessDots;

/// Removes dot segments from `out[from..]` as RFC 3986 section 5.2.4 does.
pub(crate) fn remove(out: &mut Vec<u8>, from: usize) {
    let end = out.len();
    let (mut read, mut write) = (from, from);
    // 2A, 2D: only where the path does not begin with a slash, so once.
    match &out[from..] {
        [b'.'] => read += 1,
        [b'.', b'.'] => read += 2,
        _ => {
            while let [b'.', b'/', ..] | [b'.', b'.', b'/', ..] = &out[read..] {
                read += if out[read + 1] == b'/' { 2 } else { 3 };
            }
            if let [b'.'] | [b'.', b'.'] = &out[read..] {
                read = end;
            }
        }
    }
    while read < end {
        match &out[read..end] {
            // 2B
            [b'/', b'.', b'/', ..] => read += 2,
            [b'/', b'.'] => {
                out[read + 1] = b'/';
                read += 1;
            }
            // 2C
            [b'/', b'.', b'.', b'/', ..] => {
                read += 3;
                write = from + memchr::memrchr(b'/', &out[from..write]).unwrap_or(0);
            }
            [b'/', b'.', b'.'] => {
                out[read + 2] = b'/';
                read += 2;
                write = from + memchr::memrchr(b'/', &out[from..write]).unwrap_or(0);
            }
            // 2E
            segment => {
                let length = 1 + memchr::memchr(b'/', &segment[1..]).unwrap_or(segment.len() - 1);
                out.copy_within(read..read + length, write);
                read += length;
                write += length;
            }
        }
    }
    out.truncate(write);
}

/// Removes dot segments from the merged path `out[from..]`: RFC 2396 section 5.2 steps 6c to 6g, RFC 1808 section 4 step 6.
///
/// False if `excess` makes an error of a `..` above the root.
pub(crate) fn remove_merged(out: &mut Vec<u8>, from: usize, excess: ExcessDots) -> bool {
    let end = out.len();
    // The empty string before the leading slash is no segment.
    let mut floor = from + usize::from(out[from..].starts_with(b"/"));
    let (mut read, mut write) = (floor, floor);
    while read < end {
        let length = memchr::memchr(b'/', &out[read..end]).map_or(end - read, |at| at + 1);
        match &out[read..read + length] {
            b"." | b"./" => {}
            b".." | b"../" if write > floor => {
                write =
                    floor + memchr::memrchr(b'/', &out[floor..write - 1]).map_or(0, |at| at + 1);
            }
            b".." | b"../" if excess == ExcessDots::Remove => {}
            b".." | b"../" if excess == ExcessDots::Error => return false,
            segment => {
                let is_parent = matches!(segment, b".." | b"../");
                out.copy_within(read..read + length, write);
                write += length;
                if is_parent {
                    floor = write;
                }
            }
        }
        read += length;
    }
    out.truncate(write);
    true
}
