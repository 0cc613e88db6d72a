//! Members that their container has given away, so that others read them while it goes on.

use std::collections::VecDeque;
use std::io::{self, Read};

use super::container::{
    ArchiveFault, ArchiveMember, Container, HeldContents, MemberContents, WholeContents,
};
use crate::bytes::source::Shared;

/// A container that is read to its end by several owners.
pub(crate) type SharedContainer = Shared<Box<dyn Container>>;

/// The bytes of a block that a member without contents counts as.
const MEMBER: u64 = 512;

/// Consecutive members of a container.
pub(crate) struct HeldMembers {
    members: VecDeque<HeldMember>,
    /// The contents of the current member.
    contents: HeldContents,
    /// The number of bytes of them that have been read.
    at: usize,
    faults: Vec<ArchiveFault>,
    content_faults: Vec<ArchiveFault>,
    records: Option<u64>,
    /// The container, if the last member has to be read there.
    container: Option<SharedContainer>,
}

/// What a container says of its next member.
struct HeldMember {
    next: io::Result<Option<ArchiveMember>>,
    faults: Vec<ArchiveFault>,
    content_faults: Vec<ArchiveFault>,
    /// None: they are read from the container.
    contents: Option<HeldContents>,
}

impl HeldMembers {
    /// Takes the next members of a container, of about `size` bytes; returns whether none are left. Up to
    /// the next call the last one may be read from the container.
    pub(crate) fn take(container: &SharedContainer, size: u64) -> (Self, bool) {
        let mut source = container.lock();
        let before = source.records();
        let (mut members, mut length, mut is_last) = (VecDeque::new(), 0, false);
        let mut is_held = true;
        while length < size && is_held && !is_last {
            let next = source.next();
            let faults = source.faults();
            let contents = match &next {
                Ok(Some(member)) => match member.contents {
                    MemberContents::Unreadable
                    | MemberContents::Encrypted
                    | MemberContents::Unread(_) => Some(HeldContents::Bytes(Vec::new())),
                    _ => source.hold(),
                },
                Ok(None) | Err(_) => {
                    is_last = true;
                    None
                }
            };
            length += match &contents {
                Some(HeldContents::Bytes(bytes)) => MEMBER + bytes.len() as u64,
                Some(HeldContents::Reader(_, length, _)) => MEMBER + length,
                None => 0,
            };
            is_held = contents.is_some();
            members.push_back(HeldMember {
                next,
                faults,
                content_faults: if is_held {
                    source.content_faults()
                } else {
                    Vec::new()
                },
                contents,
            });
        }
        let members = HeldMembers {
            members,
            contents: HeldContents::Bytes(Vec::new()),
            at: 0,
            faults: Vec::new(),
            content_faults: Vec::new(),
            records: source.records().map(|after| after - before.unwrap_or(0)),
            container: (!is_held && !is_last).then(|| container.clone()),
        };
        (members, is_last)
    }

    /// Returns the container, if the current member is read there.
    fn current(&self) -> Option<&SharedContainer> {
        self.container.as_ref().filter(|_| self.members.is_empty())
    }
}

impl Container for HeldMembers {
    fn next(&mut self) -> io::Result<Option<ArchiveMember>> {
        let Some(member) = self.members.pop_front() else {
            return Ok(None);
        };
        self.contents = member.contents.unwrap_or(HeldContents::Bytes(Vec::new()));
        self.at = 0;
        self.faults = member.faults;
        self.content_faults = member.content_faults;
        member.next
    }

    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if let Some(container) = self.current() {
            return container.lock().read(into);
        }
        match &mut self.contents {
            HeldContents::Bytes(bytes) => {
                let n = (&bytes[self.at..]).read(into)?;
                self.at += n;
                Ok(n)
            }
            HeldContents::Reader(reader, ..) => reader.read(into),
        }
    }

    fn whole(&mut self) -> Option<WholeContents<'_>> {
        match &self.contents {
            HeldContents::Bytes(bytes) if self.current().is_none() => {
                Some(Box::new(bytes.as_slice()))
            }
            _ => None,
        }
    }

    fn faults(&mut self) -> Vec<ArchiveFault> {
        let mut faults = std::mem::take(&mut self.faults);
        if let Some(container) = self.current() {
            faults.append(&mut container.lock().faults());
        }
        faults
    }

    fn content_faults(&mut self) -> Vec<ArchiveFault> {
        let mut faults = std::mem::take(&mut self.content_faults);
        if let HeldContents::Reader(_, _, of_body) = &self.contents {
            faults.append(&mut of_body.take());
        }
        if let Some(container) = self.current() {
            faults.append(&mut container.lock().content_faults());
        }
        faults
    }

    fn records(&self) -> Option<u64> {
        self.records
    }
}
