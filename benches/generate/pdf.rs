//! Manuals in PDF: pages of text with a few links each, objects as they are or in compressed streams.

use std::io::Write;

use flate2::Compression;
use flate2::write::ZlibEncoder;

use super::Input;
use super::random::Random;

/// The objects of a manual; the last one of each page is the stream of its text.
struct Manual {
    bodies: Vec<Vec<u8>>,
    links: usize,
}

fn manual(seed: u64, bytes: usize) -> Manual {
    let mut random = Random::new(seed);
    let mut bodies = vec![b"<</Type/Catalog/Pages 2 0 R>>".to_vec(), Vec::new()];
    let (mut links, mut length) = (0, 0);
    let mut kids = String::new();
    while length < bytes {
        let page = bodies.len() + 1;
        kids += &format!("{page} 0 R ");
        let mut annotations = String::new();
        for link in 0..5 {
            annotations += &format!("{} 0 R ", page + 1 + link);
        }
        let text = page + 6;
        let body = format!(
            "<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Resources<</Font<</F1 9 0 R>>>>\
             /Annots[{annotations}]/Contents {text} 0 R>>"
        );
        bodies.push(body.into_bytes());
        for link in 0..5 {
            let body = format!(
                "<</Type/Annot/Subtype/Link/Border[0 0 1]/C[0 1 1]/Rect[{}.5 {} 300.25 712.125]\
                 /A<</Type/Action/S/URI/URI({})>>>>",
                72 + link,
                700 - 12 * link,
                random.uri()
            );
            bodies.push(body.into_bytes());
            links += 1;
        }
        let text = random.words(400);
        let body = format!("<</Length {}>>\nstream\n{text}\nendstream", text.len());
        bodies.push(body.into_bytes());
        length += bodies[page - 1..].iter().map(Vec::len).sum::<usize>();
    }
    bodies[1] = format!("<</Type/Pages/Kids[{kids}]>>").into_bytes();
    Manual { bodies, links }
}

/// Appends an object; returns its offset.
fn push(number: usize, body: &[u8], file: &mut Vec<u8>) -> usize {
    let offset = file.len();
    file.extend(format!("{number} 0 obj\n").bytes());
    file.extend(body);
    file.extend(b"\nendobj\n");
    offset
}

fn is_stream(body: &[u8]) -> bool {
    body.ends_with(b"endstream")
}

/// A manual whose objects are as they are, with a table of cross references.
pub(super) fn plain(seed: u64, bytes: usize) -> Input {
    let Manual { bodies, links } = manual(seed, bytes);
    let mut file = b"%PDF-1.7\n".to_vec();
    let mut table = format!("xref\n0 {}\n0000000000 65535 f \n", bodies.len() + 1);
    for (index, body) in bodies.iter().enumerate() {
        let offset = push(index + 1, body, &mut file);
        table += &format!("{offset:010} 00000 n \n");
    }
    let start = file.len();
    table += &format!("trailer\n<</Root 1 0 R>>\nstartxref\n{start}\n%%EOF\n");
    file.extend(table.bytes());
    Input {
        documents: vec![file],
        links,
    }
}

/// A manual whose objects are in streams of 200 each, but for text.
pub(super) fn packed(seed: u64, bytes: usize) -> Input {
    let Manual { bodies, links } = manual(seed, bytes);
    let mut file = b"%PDF-1.7\n".to_vec();
    let mut rows = vec![[0_u8; 6]; bodies.len() + 1];
    let row = |kind: u8, place: usize| {
        let [a, b, c, d] = (place as u32).to_be_bytes();
        [kind, a, b, c, d, 0]
    };
    let numbered = || (1..).zip(&bodies);
    for (number, body) in numbered().filter(|(_, body)| is_stream(body)) {
        rows[number] = row(1, push(number, body, &mut file));
    }
    let objects: Vec<_> = numbered().filter(|(_, body)| !is_stream(body)).collect();
    for objects in objects.chunks(200) {
        let (mut head, mut inside) = (String::new(), Vec::new());
        for (number, body) in objects {
            head += &format!("{number} {} ", inside.len());
            inside.extend(*body);
            inside.push(b'\n');
            rows[*number] = row(2, rows.len());
        }
        let keys = format!("/Type/ObjStm/N {}/First {}", objects.len(), head.len());
        let body = stream(&keys, &[head.as_bytes(), &inside].concat());
        let place = push(rows.len(), &body, &mut file);
        rows.push(row(1, place));
    }
    let keys = format!("/Type/XRef/Size {}/W[1 4 1]/Root 1 0 R", rows.len());
    let start = push(rows.len(), &stream(&keys, &rows.concat()), &mut file);
    file.extend(format!("startxref\n{start}\n%%EOF\n").bytes());
    Input {
        documents: vec![file],
        links,
    }
}

fn stream(keys: &str, bytes: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).expect("memory takes all");
    let data = encoder.finish().expect("memory takes all");
    let mut body = format!(
        "<<{keys}/Filter/FlateDecode/Length {}>>\nstream\n",
        data.len()
    )
    .into_bytes();
    body.extend(data);
    body.extend(b"\nendstream");
    body
}
