//! Hashes of names and targets, keyed anew for each run: nobody can write a tree whose names
//! collide.

use std::hash::{BuildHasher, Hasher, RandomState};

/// What hashes of one run have in common.
#[derive(Clone, Copy, Debug)]
pub struct HashKey(u64, u64);

impl Default for HashKey {
    fn default() -> Self {
        let (one, other) = (RandomState::new(), RandomState::new());
        HashKey(one.hash_one(0), other.hash_one(1) | 1)
    }
}

impl HashKey {
    /// The hash of a name.
    ///
    /// ```
    /// use uriscan::audit::hash::HashKey;
    /// let key = HashKey::default();
    /// assert_eq!(key.of(b"install"), key.of(b"install"));
    /// assert_ne!(key.of(b"install"), key.of(b"instal"));
    /// ```
    #[inline]
    pub fn of(self, bytes: &[u8]) -> u64 {
        let mut hash = self.0 ^ bytes.len() as u64;
        let (words, rest) = bytes.as_chunks::<8>();
        for word in words {
            hash = fold(hash ^ u64::from_le_bytes(*word), self.1);
        }
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        fold(hash ^ u64::from_le_bytes(last), self.1 ^ SPREAD)
    }
}

/// The golden ratio in 64 bits.
const SPREAD: u64 = 0x9E37_79B9_7F4A_7C15;

/// All bits of a product, folded into 64.
#[inline]
fn fold(one: u64, other: u64) -> u64 {
    let product = u128::from(one) * u128::from(other);
    product as u64 ^ (product >> 64) as u64
}

impl BuildHasher for HashKey {
    type Hasher = Running;

    fn build_hasher(&self) -> Running {
        Running(*self, self.0)
    }
}

/// A hash in the making, for maps.
#[derive(Clone, Copy, Debug)]
pub struct Running(HashKey, u64);

impl Hasher for Running {
    #[inline]
    fn write(&mut self, bytes: &[u8]) {
        self.1 = fold(self.1 ^ self.0.of(bytes), self.0.1);
    }

    #[inline]
    fn write_usize(&mut self, number: usize) {
        self.1 ^= number as u64;
    }

    #[inline]
    fn write_u64(&mut self, number: u64) {
        self.1 = fold(self.1 ^ number, self.0.1);
    }

    #[inline]
    fn finish(&self) -> u64 {
        self.1
    }
}
