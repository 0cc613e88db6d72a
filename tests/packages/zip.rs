//! Writes zips and tars.

use std::fs;
use std::io::Write;
use std::path::Path;

use flate2::write::DeflateEncoder;
use flate2::{Compression, Crc};

/// A member of a zip.
#[derive(Clone, Debug)]
pub(crate) struct Member {
    pub(crate) name: String,
    pub(crate) bytes: Vec<u8>,
}

impl Member {
    pub(crate) fn new(name: &str, bytes: impl Into<Vec<u8>>) -> Self {
        Member {
            name: name.to_owned(),
            bytes: bytes.into(),
        }
    }
}

/// The files below a directory, by their names.
pub(crate) fn members_of(directory: &Path) -> Vec<Member> {
    let mut members = Vec::new();
    let mut folders = vec![directory.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let name = path.strip_prefix(directory).unwrap().to_str().unwrap();
            members.push(Member::new(name, fs::read(&path).unwrap()));
        }
    }
    members.sort_by(|one, other| one.name.cmp(&other.name));
    members
}

/// A zip of some members, in their order; `mimetype` is stored, all else is deflated.
pub(crate) fn zip(members: &[Member]) -> Vec<u8> {
    let (mut out, mut directory) = (Vec::new(), Vec::new());
    for member in members {
        let (method, packed) = match member.name.as_str() {
            "mimetype" => (0_u16, member.bytes.clone()),
            _ => {
                let mut encoder = DeflateEncoder::new(Vec::new(), Compression::fast());
                encoder.write_all(&member.bytes).unwrap();
                (8, encoder.finish().unwrap())
            }
        };
        let mut crc = Crc::new();
        crc.update(&member.bytes);
        let mut fields = Vec::new();
        for number in [20, 1 << 11, method, 0, 33] {
            fields.extend_from_slice(&number.to_le_bytes());
        }
        for number in [crc.sum(), packed.len() as u32, member.bytes.len() as u32] {
            fields.extend_from_slice(&number.to_le_bytes());
        }
        fields.extend_from_slice(&(member.name.len() as u16).to_le_bytes());
        fields.extend_from_slice(&[0; 2]);
        let offset = out.len() as u32;
        out.extend_from_slice(b"PK\x03\x04");
        out.extend_from_slice(&fields);
        out.extend_from_slice(member.name.as_bytes());
        out.extend_from_slice(&packed);
        directory.extend_from_slice(b"PK\x01\x02\x14\0");
        directory.extend_from_slice(&fields);
        directory.extend_from_slice(&[0; 10]);
        directory.extend_from_slice(&offset.to_le_bytes());
        directory.extend_from_slice(member.name.as_bytes());
    }
    let start = out.len() as u32;
    out.extend_from_slice(&directory);
    out.extend_from_slice(b"PK\x05\x06\0\0\0\0");
    for _ in 0..2 {
        out.extend_from_slice(&(members.len() as u16).to_le_bytes());
    }
    out.extend_from_slice(&(directory.len() as u32).to_le_bytes());
    out.extend_from_slice(&start.to_le_bytes());
    out.extend_from_slice(&[0; 2]);
    out
}

/// A tar of some members.
pub(crate) fn tar(members: &[Member]) -> Vec<u8> {
    let mut out = Vec::new();
    for member in members {
        let mut header = vec![0; 512];
        header[..member.name.len()].copy_from_slice(member.name.as_bytes());
        header[100..108].copy_from_slice(b"0000644\0");
        header[124..136].copy_from_slice(format!("{:011o}\0", member.bytes.len()).as_bytes());
        header[148..156].fill(b' ');
        header[156] = b'0';
        header[257..265].copy_from_slice(b"ustar\x0000");
        let sum: u32 = header.iter().map(|&byte| u32::from(byte)).sum();
        header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
        out.extend_from_slice(&header);
        out.extend_from_slice(&member.bytes);
        out.resize(out.len().next_multiple_of(512), 0);
    }
    out.resize(out.len() + 1024, 0);
    out
}
