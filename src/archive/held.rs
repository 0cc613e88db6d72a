//! Members that their container has given away, so that others read them while the container is read on.

use std::collections::VecDeque;
use std::io::{self, Read};

use smart_default::SmartDefault;

use super::container::{
    ArchiveFault, ArchiveMember, Container, HeldContents, SharedContainer, WholeContents,
};

/// The weight of a member besides its contents, in bytes.
const MEMBER: u64 = 512;

#[derive(Default)]
pub(crate) struct HeldMembers {
    members: VecDeque<HeldMember>,
    current: HeldMember,
    records: Option<u64>,
}

/// The answers of a container about its next member.
#[derive(SmartDefault)]
struct HeldMember {
    #[default(Ok(None))]
    next: io::Result<Option<ArchiveMember>>,
    faults: Vec<ArchiveFault>,
    content_faults: Vec<ArchiveFault>,
    #[default(HeldContents::bytes(&[]))]
    contents: HeldContents,
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
            let mut held = HeldMember {
                next: source.next(),
                faults: source.faults(),
                ..HeldMember::default()
            };
            match &held.next {
                Ok(Some(member)) if member.contents.is_read() => {
                    let contents = source.hold();
                    is_held = contents.is_some();
                    let shared = || HeldContents::Shared(container.clone());
                    held.contents = contents.unwrap_or_else(shared);
                }
                Ok(Some(_)) => {}
                Ok(None) | Err(_) => is_last = true,
            }
            length += MEMBER + held.contents.length();
            if is_held {
                held.content_faults = source.content_faults();
            }
            members.push_back(held);
        }
        let members = HeldMembers {
            members,
            records: source.records().map(|after| after - before.unwrap_or(0)),
            ..HeldMembers::default()
        };
        (members, is_last)
    }

    /// Returns no members, and the damage to their container.
    pub(super) fn none(faults: Vec<ArchiveFault>) -> Self {
        let mut none = HeldMembers::default();
        none.current.faults = faults;
        none
    }
}

impl Container for HeldMembers {
    fn next(&mut self) -> io::Result<Option<ArchiveMember>> {
        let Some(member) = self.members.pop_front() else {
            return Ok(None);
        };
        self.current = member;
        std::mem::replace(&mut self.current.next, Ok(None))
    }

    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        match &mut self.current.contents {
            HeldContents::Bytes(bytes) => bytes.read(into),
            HeldContents::Reader(reader, ..) => reader.read(into),
            HeldContents::Shared(container) => container.lock().read(into),
        }
    }

    fn whole(&mut self) -> Option<WholeContents<'_>> {
        match &self.current.contents {
            HeldContents::Bytes(bytes) => Some(Box::new(bytes.get_ref().as_slice())),
            _ => None,
        }
    }

    fn faults(&mut self) -> Vec<ArchiveFault> {
        let mut faults = std::mem::take(&mut self.current.faults);
        if let HeldContents::Shared(container) = &self.current.contents {
            faults.append(&mut container.lock().faults());
        }
        faults
    }

    fn content_faults(&mut self) -> Vec<ArchiveFault> {
        let mut faults = std::mem::take(&mut self.current.content_faults);
        faults.append(&mut match &self.current.contents {
            HeldContents::Bytes(_) => Vec::new(),
            HeldContents::Reader(_, _, of_body) => of_body.take(),
            HeldContents::Shared(container) => container.lock().content_faults(),
        });
        faults
    }

    fn records(&self) -> Option<u64> {
        self.records
    }
}
