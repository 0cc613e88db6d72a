//! reStructuredText, AsciiDoc and manual pages.

use super::Input;
use super::random::Random;

/// A document of sections, each written by `make`, which returns the number of its references.
fn sections(seed: u64, bytes: usize, make: fn(&mut Random, &mut String) -> usize) -> Input {
    let mut random = Random::new(seed);
    let mut text = String::new();
    let mut links = 0;
    while text.len() < bytes {
        links += make(&mut random, &mut text);
    }
    Input {
        documents: vec![text.into_bytes()],
        links,
    }
}

/// reStructuredText: paragraphs, a list, code, now and then a figure.
pub(super) fn rst(seed: u64, bytes: usize) -> Input {
    sections(seed, bytes, |random, text| {
        let title = random.words(4);
        let line = "-".repeat(title.len());
        text.push_str(&format!("{title}\n{line}\n\n"));
        for _ in 0..3 {
            let (before, name, behind) =
                (random.words(30), random.joined(2, "/"), random.words(20));
            text.push_str(&format!(
                "{before}\n`{name} <{name}.html>`_ {behind},\n*{name}* and ``{name}``.\n\n"
            ));
        }
        let code = random.words(20);
        text.push_str(&format!(
            "- {code}\n- {code}\n\n.. code-block:: sh\n\n   {code}\n   {code}\n\n"
        ));
        let is_shown = random.percent(20);
        if is_shown {
            text.push_str(&format!(
                ".. figure:: {}.png\n\n   {code}\n\n",
                random.joined(2, "/")
            ));
        }
        3 + usize::from(is_shown)
    })
}

/// AsciiDoc: paragraphs, a list, a listing, now and then an image.
pub(super) fn adoc(seed: u64, bytes: usize) -> Input {
    sections(seed, bytes, |random, text| {
        text.push_str(&format!("== {}\n\n", random.words(4)));
        for _ in 0..3 {
            let (before, name, behind) =
                (random.words(30), random.joined(2, "/"), random.words(20));
            text.push_str(&format!(
                "{before}\nlink:{name}.html[{name}] {behind},\n*{name}* and `{name}`.\n\n"
            ));
        }
        let code = random.words(20);
        text.push_str(&format!(
            "* {code}\n* {code}\n\n----\n{code}\n{code}\n----\n\n"
        ));
        let is_shown = random.percent(20);
        if is_shown {
            text.push_str(&format!("image::{}.png[]\n\n", random.joined(2, "/")));
        }
        3 + usize::from(is_shown)
    })
}

/// Manual pages: paragraphs with fonts, and a URI in each section.
pub(super) fn troff(seed: u64, bytes: usize) -> Input {
    sections(seed, bytes, |random, text| {
        text.push_str(&format!(".SH {}\n", random.words(2)));
        for _ in 0..4 {
            text.push_str(&format!(
                ".PP\n{}\n\\fI{}\\fR\n",
                random.words(30),
                random.words(3)
            ));
        }
        text.push_str(&format!(
            ".UR http://www.example.com/{}\\-x\n.UE\n",
            random.joined(2, "/")
        ));
        1
    })
}
