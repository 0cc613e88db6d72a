//! Bytes as a document and the choices of how to read it.

/// Choices are taken from the end, so that a document serves as a seed as it is.
#[derive(Clone, Copy)]
pub(crate) struct Input<'a> {
    bytes: &'a [u8],
}

impl<'a> Input<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Input { bytes }
    }

    /// A number below `limit`, which is at most 256.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        match self.bytes.split_last() {
            Some((&byte, rest)) => {
                self.bytes = rest;
                usize::from(byte) % limit
            }
            None => 0,
        }
    }

    pub(crate) fn flag(&mut self) -> bool {
        self.below(2) == 1
    }

    pub(crate) fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    /// What no choice has taken.
    pub(crate) fn document(self) -> &'a [u8] {
        self.bytes
    }
}
