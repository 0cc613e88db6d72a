use std::sync::Arc;

use super::*;

/// Asserts that members which are decompressed ahead, in stretches of many lengths, change nothing.
fn expect_same(stored: &[u8], what: &str) {
    let alone = read(stored);
    for stretch in [1, 16, 100, 1 + stored.len() / 9, 64 << 10] {
        // Each stretch has a thread: short ones are for short documents.
        if stored.len() / stretch <= 2000 {
            let ahead = document(stored).ahead(Arc::new(stored.to_vec()), 2, stretch);
            assert!(
                read_document(ahead, 1000) == alone,
                "{what}, stretches of {stretch}"
            );
        }
    }
}

/// A gzip member that stores its content as it is.
fn stored(content: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::none());
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

type Compress = fn(&[u8]) -> Vec<u8>;

/// Members of many lengths: without content, short, long, and one that is too long to be decompressed ahead.
fn members(compress: Compress) -> Vec<Vec<u8>> {
    let lines = lines();
    let short = (0..30).map(|n| &lines[n * 50..n * 90]);
    let zeros = vec![b'0'; 300_000];
    let long = [&lines, zeros.as_slice(), b"", b"after"];
    short.chain(long).map(compress).collect()
}

/// Another file that is read ahead tells whose members the reader takes.
#[test]
fn members_are_taken_where_they_were_decompressed() {
    let [alone, ahead] = [b"alone", b"ahead"].map(|text| stored(text).repeat(50));
    for stretch in [1, 100, 1 << 20] {
        let document = document(&alone).ahead(Arc::new(ahead.clone()), 2, stretch);
        assert_eq!(read_document(document, 7), (b"ahead".repeat(50), None));
    }
}

#[test]
fn members_of_every_codec_are_the_same_ahead() {
    let codecs: [(&str, Compress); 5] = [
        ("gzip", gzip),
        ("bzip2", bzip2),
        ("zstd", zstd),
        ("lz4", lz4),
        ("xz", |content| {
            xz(&content[..content.len().min(60_000)], SMALL)
        }),
    ];
    for (name, compress) in codecs {
        let stored = members(compress).concat();
        expect_same(&stored, name);
        for cut in (20..stored.len()).step_by(stored.len() / 12) {
            expect_same(&stored[..cut], name);
        }
    }
}

#[test]
fn members_between_damage_are_the_same_ahead() {
    let members = members(gzip);
    expect_same(&members.join(&b"junk"[..]), "junk");
    expect_same(&members.join(&[0; 40][..]), "zeros");
    let mut stored = members.concat();
    for at in (20..stored.len()).step_by(97) {
        stored[at] ^= 0x10;
    }
    expect_same(&stored, "changed bytes");
}

/// A member that holds members as they are stored: what looks like a start inside it is none.
#[test]
fn members_in_a_member_are_content() {
    let inner = members(gzip).concat();
    let stored = [gzip(b"before"), stored(&inner), gzip(b"after")].concat();
    assert_eq!(
        read(&stored).0,
        [b"before", inner.as_slice(), b"after"].concat()
    );
    expect_same(&stored, "members in a member");
}
