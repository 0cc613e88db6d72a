use std::path::Path;

use super::*;
use crate::pipeline::walk::EntryKind;

/// The pieces of a file of the vectors, as short as they can be.
fn pieces(name: &str) -> usize {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors/archives");
    let path = folder.join(name);
    let file = File::open(&path).unwrap();
    let length = file.metadata().unwrap().len();
    let mut head = [0; 16];
    read_at(&file, &mut head, 0).unwrap();
    let codec = Codec::of(&head);
    let format = ArchiveFormat::of(b"WARC/1.0\r\n").unwrap();
    let entry = Entry {
        path,
        kind: EntryKind::File(length),
        named: true,
    };
    let idle = Arc::default();
    RecordSplitter::new(entry, (format, codec), file, (length, 1), &idle).count()
}

#[test]
fn pieces_begin_at_members_and_at_frames_with_a_dictionary() {
    for name in [
        "warc_gz_offsets.warc.gz",
        "warc_zst_dict.warc.zst",
        "warc_zst_dict_packed.warc.zst",
    ] {
        assert!(pieces(name) > 1, "{name}");
    }
}
