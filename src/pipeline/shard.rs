//! One part of the paths, so that several machines can share a tree.

use std::str::FromStr;

/// Part `index` of `count`, by a hash of the path that never changes.
///
/// ```
/// use uriscan::pipeline::shard::Shard;
/// let shards: Vec<Shard> = ["1/3", "2/3", "3/3"].iter().map(|text| text.parse().unwrap()).collect();
/// let holders = shards.iter().filter(|shard| shard.holds(b"site/a.html"));
/// assert_eq!(holders.count(), 1);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// From 0.
    index: u64,
    count: u64,
}

impl Shard {
    /// Everything.
    pub const WHOLE: Shard = Shard { index: 0, count: 1 };

    /// Whether a path belongs to this part.
    pub fn holds(self, path: &[u8]) -> bool {
        self.count == 1 || hash(path) % self.count == self.index
    }
}

impl Default for Shard {
    fn default() -> Self {
        Shard::WHOLE
    }
}

/// FNV-1a, 64 bits, with its high half folded in.
fn hash(bytes: &[u8]) -> u64 {
    let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    let hash = bytes.iter().fold(0xcbf2_9ce4_8422_2325, step);
    hash ^ hash >> 32
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers = text.split_once('/');
        let number = |text: &str| text.parse::<u64>().ok();
        match numbers.and_then(|(one, other)| number(one).zip(number(other))) {
            Some((index, count)) if 1 <= index && index <= count => Ok(Shard {
                index: index - 1,
                count,
            }),
            _ => Err("I/N with 1 <= I <= N".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_never_changes() {
        for (text, expected) in [
            ("", 0xcbf2_9ce4_8422_2325_u64),
            ("a", 0xaf63_dc4c_8601_ec8c),
            ("foobar", 0x8594_4171_f739_67e8),
        ] {
            assert_eq!(hash(text.as_bytes()), expected ^ expected >> 32, "{text}");
        }
    }

    #[test]
    fn shards_are_counted_from_one() {
        for text in ["0/3", "4/3", "1", "/", "a/b", "1/0"] {
            assert!(text.parse::<Shard>().is_err(), "{text}");
        }
    }
}
