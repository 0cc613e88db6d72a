//! A writer of PDF files, in every structure that a file can have, and a generator of files with planted
//! references.

use std::collections::BTreeMap;
use std::io::Write;

use flate2::Compression;
use flate2::write::ZlibEncoder;

use crate::text::soup::Numbers;

/// The objects of a file, by number; the catalog is number 1.
#[derive(Clone, Default)]
pub(crate) struct Objects(pub(crate) BTreeMap<u32, Vec<u8>>);

impl Objects {
    pub(crate) fn of(bodies: &[(u32, &str)]) -> Self {
        let bodies = bodies.iter();
        Objects(
            bodies
                .map(|(number, body)| (*number, body.as_bytes().to_vec()))
                .collect(),
        )
    }

    /// Adds an object behind all others; returns a reference to it.
    pub(crate) fn add(&mut self, body: impl Into<Vec<u8>>) -> String {
        let number = self.0.last_key_value().map_or(1, |(number, _)| number + 1);
        self.0.insert(number, body.into());
        format!("{number} 0 R")
    }

    fn size(&self) -> u32 {
        self.0.last_key_value().map_or(1, |(number, _)| number + 1)
    }

    /// Writes the objects without cross references; returns the offset of each.
    fn bodies(&self) -> (Vec<u8>, BTreeMap<u32, usize>) {
        let mut file = b"%PDF-1.7\n%\xE2\xE3\xCF\xD3\n".to_vec();
        let mut offsets = BTreeMap::new();
        for (number, body) in &self.0 {
            offsets.insert(*number, file.len());
            file.extend(format!("{number} 0 obj\n").bytes());
            file.extend(body);
            file.extend(b"\nendobj\n");
        }
        (file, offsets)
    }

    /// A file with a table of cross references.
    pub(crate) fn table(&self) -> Vec<u8> {
        self.table_with("")
    }

    /// The same, with more keys in its trailer.
    pub(crate) fn table_with(&self, keys: &str) -> Vec<u8> {
        let (mut file, offsets) = self.bodies();
        let start = file.len();
        file.extend(b"xref\n0 1\n0000000000 65535 f \n");
        for (number, offset) in offsets {
            file.extend(format!("{number} 1\n{offset:010} 00000 n \n").bytes());
        }
        let size = self.size();
        file.extend(
            format!("trailer\n<</Size {size}/Root 1 0 R{keys}>>\nstartxref\n{start}\n%%EOF")
                .bytes(),
        );
        file
    }

    /// A file without cross references.
    pub(crate) fn bare(&self) -> Vec<u8> {
        self.bodies().0
    }

    /// A file whose objects, but for streams, are in streams of some objects each.
    pub(crate) fn packed(&self, each: usize, has_predictor: bool) -> Vec<u8> {
        let (streams, plain): (Vec<_>, Vec<_>) =
            (self.0.iter()).partition(|(_, body)| body.windows(6).any(|part| part == b"stream"));
        let mut outer = Objects(
            streams
                .into_iter()
                .map(|(at, body)| (*at, body.clone()))
                .collect(),
        );
        let mut next = self.size();
        let mut rows = BTreeMap::new();
        for objects in plain.chunks(each) {
            let (mut head, mut inside) = (String::new(), Vec::new());
            for (index, (number, body)) in objects.iter().enumerate() {
                head += &format!("{number} {} ", inside.len());
                inside.extend_from_slice(body);
                inside.push(b'\n');
                rows.insert(**number, [2, next as usize, index]);
            }
            let keys = format!("/Type/ObjStm/N {}/First {}", objects.len(), head.len());
            outer
                .0
                .insert(next, stream(&keys, &[head.as_bytes(), &inside].concat()));
            next += 1;
        }
        let (mut file, offsets) = outer.bodies();
        let start = file.len();
        for (number, offset) in offsets {
            rows.insert(number, [1, offset, 0]);
        }
        rows.insert(next, [1, start, 0]);
        let mut table = Vec::new();
        let mut above = [0; 7];
        for number in 0..=next {
            let [kind, second, third] = rows.get(&number).copied().unwrap_or_default();
            let mut row = [0; 7];
            row[0] = kind as u8;
            row[1..5].copy_from_slice(&(second as u32).to_be_bytes());
            row[5..].copy_from_slice(&(third as u16).to_be_bytes());
            if has_predictor {
                // Each row is the difference to the one above it.
                table.push(2);
                table.extend((0..7).map(|at| u8::wrapping_sub(row[at], above[at])));
                above = row;
            } else {
                table.extend(row);
            }
        }
        let parameters = match has_predictor {
            true => "/DecodeParms<</Predictor 12/Columns 7>>",
            false => "",
        };
        let keys = format!(
            "/Type/XRef/Size {}/W[1 4 2]/Root 1 0 R{parameters}",
            next + 1
        );
        file.extend(format!("{next} 0 obj\n").bytes());
        file.extend(stream(&keys, &table));
        file.extend(format!("\nendobj\nstartxref\n{start}\n%%EOF").bytes());
        file
    }
}

/// Compresses bytes as FlateDecode has them.
pub(crate) fn deflate(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// The body of a compressed stream with more keys.
pub(crate) fn stream(keys: &str, bytes: &[u8]) -> Vec<u8> {
    let data = deflate(bytes);
    let mut body = format!(
        "<<{keys}/Filter/FlateDecode/Length {}>>\nstream\n",
        data.len()
    )
    .into_bytes();
    body.extend(data);
    body.extend(b"\nendstream");
    body
}

/// A file that is made, with the references in it: member, element and text of each, in order.
pub(crate) struct Made {
    pub(crate) objects: Objects,
    pub(crate) planted: Vec<Planted>,
}

/// A planted reference.
pub(crate) type Planted = (Option<String>, &'static str, String);

/// Generates a file; the same one for the same numbers.
pub(crate) fn made(numbers: &mut Numbers) -> Made {
    let mut maker = Maker {
        objects: Objects::of(&[(1, "")]),
        planted: Vec::new(),
        numbers,
        member: None,
        element: "annotation",
    };
    let pages = maker.pages(0, &mut 0);
    maker.member = None;
    maker.element = "action";
    let open = maker.maybe("/OpenAction", Maker::action);
    let additional = maker.maybe("/AA", Maker::additional);
    let outlines = maker.maybe("/Outlines", |maker| {
        let first = maker.outline(0);
        maker.value(format!("<</Type/Outlines/First {first}>>"))
    });
    let form = maker.maybe("/AcroForm", |maker| {
        let field = maker.holder("/T(field)");
        let field = maker.objects.add(field);
        let kid = maker.holder("/T(kid)");
        let kid = maker.objects.add(kid);
        maker.value(format!("<</Fields[{field} <</Kids[{kid}]>>]>>"))
    });
    let catalog = format!("<</Type/Catalog/Pages {pages}{open}{additional}{outlines}{form}>>");
    maker.objects.0.insert(1, catalog.into_bytes());
    Made {
        objects: maker.objects,
        planted: maker.planted,
    }
}

struct Maker<'a> {
    objects: Objects,
    planted: Vec<Planted>,
    numbers: &'a mut Numbers,
    member: Option<String>,
    element: &'static str,
}

impl Maker<'_> {
    fn one_in(&mut self, many: usize) -> bool {
        self.numbers.below(many) == 0
    }

    /// Returns a body as it is, or a reference to it.
    fn value(&mut self, body: String) -> String {
        match self.one_in(2) {
            true => self.objects.add(body),
            false => body,
        }
    }

    fn maybe(&mut self, key: &str, make: impl FnOnce(&mut Self) -> String) -> String {
        match self.one_in(2) {
            true => format!("{key} {}", make(self)),
            false => String::new(),
        }
    }

    /// Writes a string in one of the ways that there are.
    fn string(&mut self, text: &str) -> String {
        if self.one_in(3) {
            let digits = text.bytes().map(|byte| format!("{byte:02x}"));
            return format!(
                "<{}>",
                digits
                    .collect::<Vec<_>>()
                    .join(*self.numbers.pick(&["", " ", "\n"]))
            );
        }
        let mut string = "(".to_owned();
        for character in text.chars() {
            let code = character as u32;
            match (character, self.numbers.below(12)) {
                // Parentheses stay in pairs.
                ('(' | ')', _) => string.push(character),
                (_, 0) => string += &format!("\\{code:03o}"),
                (_, 1) => string += &format!("\\\n{character}"),
                ('a'..='z' | '0'..='9', _) => string.push(character),
                _ => string += &format!("\\{character}"),
            }
        }
        string + ")"
    }

    /// Plants a reference; returns the keys of its action.
    fn target(&mut self) -> String {
        let number = self.planted.len();
        let kinds = [
            "URI",
            "GoToR",
            "Launch",
            "GoToE",
            "ImportData",
            "SubmitForm",
            "GoTo",
            "JavaScript",
        ];
        let kind = *self.numbers.pick(&kinds);
        let reference = match kind {
            "URI" => format!("http://example.com/{number}?x(y)z"),
            _ => format!("dir/file-{number}.pdf"),
        };
        let written = self.string(&reference);
        let written = match self.one_in(3) {
            true => self.objects.add(written),
            false => written,
        };
        let file = match self.numbers.below(3) {
            0 => format!("<</Type/Filespec/F {written}>>"),
            1 => format!("<</F(other)/UF {written}>>"),
            _ => written.clone(),
        };
        let keys = match kind {
            "URI" => format!("/URI {written}"),
            "GoTo" => return "/S/GoTo/D[0/Fit]".to_owned(),
            "JavaScript" => return "/S/JavaScript/JS(app.alert\\(1\\))".to_owned(),
            _ => format!("/F {}", self.value(file)),
        };
        self.planted
            .push((self.member.clone(), self.element, reference));
        format!("/S/{kind}{keys}")
    }

    fn action(&mut self) -> String {
        let target = self.target();
        let next = match self.numbers.below(5) {
            0 => format!("/Next {}", self.action()),
            1 => format!("/Next[{} {}]", self.action(), self.action()),
            _ => String::new(),
        };
        self.value(format!("<<{target}{next}>>"))
    }

    fn additional(&mut self) -> String {
        let actions = format!("<</WC {}/DP {}>>", self.action(), self.action());
        self.value(actions)
    }

    /// Returns an annotation, a field or an outline item.
    fn holder(&mut self, keys: &str) -> String {
        let action = self.maybe("/A", Maker::action);
        let additional = self.maybe("/AA", Maker::additional);
        format!("<<{keys}{action}{additional}>>")
    }

    fn pages(&mut self, depth: usize, count: &mut usize) -> String {
        if depth > 0 && (depth > 3 || self.one_in(2)) {
            *count += 1;
            self.member = Some(format!("page {count}"));
            let mut annotations = String::new();
            for _ in 0..self.numbers.below(4) {
                let annotation = self.holder("/Type/Annot/Subtype/Link");
                annotations = annotations + " " + &self.value(annotation);
            }
            self.element = "action";
            let annotations = self.value(format!("[{annotations}]"));
            let additional = self.maybe("/AA", Maker::additional);
            self.element = "annotation";
            return self
                .objects
                .add(format!("<</Type/Page/Annots {annotations}{additional}>>"));
        }
        let kids: Vec<_> = (0..1 + self.numbers.below(3))
            .map(|_| self.pages(depth + 1, count))
            .collect();
        let kids = self.value(format!("[{}]", kids.join(" ")));
        self.objects.add(format!("<</Type/Pages/Kids {kids}>>"))
    }

    fn outline(&mut self, depth: usize) -> String {
        let item = self.holder("/Title(x)");
        let first = match depth < 3 && self.one_in(2) {
            true => format!("/First {}", self.outline(depth + 1)),
            false => String::new(),
        };
        let next = match depth < 5 && self.one_in(2) {
            true => format!("/Next {}", self.outline(depth + 1)),
            false => String::new(),
        };
        let keys = item.strip_suffix(">>").unwrap();
        self.objects.add(format!("{keys}{first}{next}>>"))
    }
}
