//! The content of signed data (CMS, RFC 5652 section 5), found in a stream of BER without verification.

/// What the next elements have to be, up to the content.
#[derive(Clone, Copy)]
enum Step {
    /// A constructed element, whose contents follow.
    Enter(u8),
    /// The identifier of the type of the data.
    Type,
    Skip(u8),
    /// An octet string, in one piece or in several.
    Octets,
}

/// `ContentInfo`, `SignedData` and `EncapsulatedContentInfo`.
const STEPS: [Step; 10] = [
    Step::Enter(0x30),
    Step::Type,
    Step::Enter(0xA0),
    Step::Enter(0x30),
    Step::Skip(0x02),
    Step::Skip(0x31),
    Step::Enter(0x30),
    Step::Skip(0x06),
    Step::Enter(0xA0),
    Step::Octets,
];

/// The identifier `id-signedData`, 1.2.840.113549.1.7.2.
const SIGNED: &[u8] = &[0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 7, 2];
/// The identifiers `id-envelopedData` and `id-ct-authEnvelopedData`.
const ENVELOPED: [&[u8]; 2] = [
    &[0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 7, 3],
    &[0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 9, 16, 1, 23],
];

/// The deepest nesting of strings in strings.
const MAX_LEVELS: usize = 16;
/// The longest identifier of a type, in bytes.
const MAX_TYPE: u64 = 32;

/// The outcome so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum SignedState {
    #[default]
    Going,
    /// The content is complete.
    Done,
    /// The data are enveloped, not signed.
    Encrypted,
    /// Content that can be read is missing.
    Failed,
}

#[derive(Clone, Copy, Debug, Default)]
enum Taking {
    #[default]
    Skip,
    Type,
    Content,
}

/// Finds the content of signed data. No buffer depends on any length in it.
#[derive(Debug, Default)]
pub(super) struct SignedData {
    pub(super) state: SignedState,
    step: usize,
    /// Tag and length of the element that begins, as far as they are read.
    head: Vec<u8>,
    /// The bytes that are left of the current element.
    left: u64,
    taking: Taking,
    /// The number of open elements of unknown length that are skipped.
    skipped: u64,
    kind: Vec<u8>,
    /// The number of bytes so far.
    at: u64,
    /// The ends of open strings that have pieces; `None` where a mark ends them.
    levels: Vec<Option<u64>>,
}

impl SignedData {
    /// Takes bytes, and appends the content in them.
    pub(super) fn push(&mut self, mut bytes: &[u8], out: &mut Vec<u8>) {
        while self.state == SignedState::Going && !bytes.is_empty() {
            let length = if self.left > 0 {
                let length =
                    usize::try_from(self.left).map_or(bytes.len(), |left| left.min(bytes.len()));
                self.left -= length as u64;
                self.take(&bytes[..length], out);
                length
            } else {
                self.head.push(bytes[0]);
                1
            };
            self.at += length as u64;
            bytes = &bytes[length..];
            if !self.head.is_empty() {
                self.element();
            }
            if self.left == 0 && self.head.is_empty() {
                self.end_strings();
            }
        }
    }

    fn take(&mut self, bytes: &[u8], out: &mut Vec<u8>) {
        match self.taking {
            Taking::Skip => {}
            Taking::Content => out.extend_from_slice(bytes),
            Taking::Type => {
                self.kind.extend_from_slice(bytes);
                if self.left == 0 && self.kind != SIGNED {
                    let is_enveloped = ENVELOPED.contains(&self.kind.as_slice());
                    self.state =
                        [SignedState::Failed, SignedState::Encrypted][usize::from(is_enveloped)];
                }
            }
        }
    }

    /// Begins an element, once its tag and its length are complete.
    fn element(&mut self) {
        let (tag, length) = match *self.head.as_slice() {
            [tag, ..] if tag & 0x1F == 0x1F => return self.state = SignedState::Failed,
            [_] => return,
            [tag, 0x80] => (tag, None),
            [tag, length @ ..0x80] => (tag, Some(u64::from(length))),
            [tag, first, ref digits @ ..] => {
                let wanted = usize::from(first & 0x7F);
                if wanted > size_of::<u64>() {
                    return self.state = SignedState::Failed;
                }
                if digits.len() < wanted {
                    return;
                }
                let push = |length, digit: &u8| length << 8 | u64::from(*digit);
                (tag, Some(digits.iter().fold(0, push)))
            }
            [] => return,
        };
        self.head.clear();
        if self.skipped > 0 {
            self.skip(tag, length);
        } else if self.begin(tag, length).is_none() {
            self.state = SignedState::Failed;
        }
    }

    fn begin(&mut self, tag: u8, length: Option<u64>) -> Option<()> {
        match STEPS.get(self.step)? {
            Step::Enter(wanted) => (tag == *wanted).then(|| self.step += 1),
            Step::Type => {
                self.left = length.filter(|&length| tag == 0x06 && length <= MAX_TYPE)?;
                self.taking = Taking::Type;
                self.step += 1;
                Some(())
            }
            Step::Skip(wanted) => (tag == *wanted).then(|| {
                self.step += 1;
                self.skip(tag, length);
            }),
            Step::Octets => match (tag, length) {
                (0x04, Some(length)) => {
                    self.left = length;
                    self.taking = Taking::Content;
                    Some(())
                }
                (0x24, length) if self.levels.len() < MAX_LEVELS => {
                    let end = length.map(|length| self.at.saturating_add(length));
                    self.levels.push(end);
                    Some(())
                }
                (0, Some(0)) if self.levels.last() == Some(&None) => self.levels.pop().map(drop),
                _ => None,
            },
        }
    }

    fn skip(&mut self, tag: u8, length: Option<u64>) {
        self.taking = Taking::Skip;
        match (tag, length) {
            (0, Some(0)) => self.skipped = self.skipped.saturating_sub(1),
            (_, Some(length)) => self.left = length,
            (_, None) => self.skipped += 1,
        }
    }

    /// Ends the strings whose end is here; the content ends with the outermost.
    fn end_strings(&mut self) {
        let is_content = matches!(self.taking, Taking::Content) && self.step + 1 == STEPS.len();
        if !is_content {
            return;
        }
        while matches!(self.levels.last(), Some(Some(end)) if *end <= self.at) {
            self.levels.pop();
        }
        if self.levels.is_empty() {
            self.state = SignedState::Done;
        }
    }
}

#[cfg(test)]
#[path = "../../../tests/unit/document/mail/signed_data.rs"]
mod tests;
