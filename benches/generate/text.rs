//! Plain text: prose, source code, logs, and text that is full of URIs.

use super::Input;
use super::random::Random;

/// Prose is broken at this column.
const WIDTH: usize = 72;

/// Text that is filled up word by word.
#[derive(Default)]
struct Paragraphs {
    text: String,
    column: usize,
}

impl Paragraphs {
    fn word(&mut self, word: &str) {
        if self.column > 0 && self.column + 1 + word.len() > WIDTH {
            self.line();
        } else if self.column > 0 {
            self.text.push(' ');
            self.column += 1;
        }
        self.text.push_str(word);
        self.column += word.len();
    }

    fn line(&mut self) {
        self.text.push('\n');
        self.column = 0;
    }
}

/// Prose: a URI in about 5 thousand bytes, a third of them in brackets, some of these broken.
pub(super) fn prose(seed: u64, bytes: usize) -> Input {
    let mut random = Random::new(seed);
    let mut paragraphs = Paragraphs::default();
    let mut links = 0;
    while paragraphs.text.len() < bytes {
        for _ in 0..3 + random.below(4) {
            links += sentence(&mut random, &mut paragraphs);
        }
        paragraphs.line();
        paragraphs.line();
    }
    Input {
        documents: vec![paragraphs.text.into_bytes()],
        links,
    }
}

/// One sentence; returns the number of links in it.
fn sentence(random: &mut Random, to: &mut Paragraphs) -> usize {
    to.word(&random.name());
    let length = 6 + random.below(14);
    for _ in 0..length {
        match random.below(100) {
            0 => to.word(&format!("{}:{:02}", random.below(24), random.below(60))),
            1 => to.word(&format!("{}:", random.word())),
            2 => to.word(&format!("\"{}\"", random.word())),
            3 => to.word(&format!("({})", random.word())),
            4 => to.word(&format!("{},", random.word())),
            _ => to.word(random.word()),
        }
    }
    let links = usize::from(random.percent(2));
    if links == 1 {
        link(random, to);
    }
    to.word(&format!("{}.", random.word()));
    links
}

fn link(random: &mut Random, to: &mut Paragraphs) {
    let uri = random.uri();
    match random.below(20) {
        0 | 1 => {
            // Broken behind a slash of the path.
            let at = uri.rfind('/').map_or(uri.len(), |at| at + 1);
            to.word(&format!("<{}", &uri[..at]));
            to.line();
            to.word(&format!("{}>", &uri[at..]));
        }
        2..=6 => to.word(&format!("<{uri}>")),
        7..=9 => to.word(&format!("\"{uri}\"")),
        10..=12 => to.word(&format!("{uri},")),
        _ => to.word(&uri),
    }
}

/// Source code: a URI in about 20 thousand bytes, in comments and strings.
pub(super) fn source(seed: u64, bytes: usize) -> Input {
    let mut random = Random::new(seed);
    let mut text = String::new();
    let mut links = 0;
    while text.len() < bytes {
        let (kind, name) = (random.word(), random.joined(2, "_"));
        match random.below(120) {
            0 => {
                let uri = random.uri();
                text.push_str(&format!("/* {}: see <{uri}> */\n", random.name()));
                links += 1;
            }
            1 => {
                text.push_str(&format!(
                    "static const char {name}[] = \"{}\";\n",
                    random.uri()
                ));
                links += 1;
            }
            _ => {
                text.push_str(&format!("/* {}. */\n", random.words(8)));
                text.push_str(&format!(
                    "int {name}(struct {kind} *self, const char *text)\n{{\n"
                ));
                statements(&mut random, &mut text);
                text.push_str("}\n\n");
            }
        }
    }
    Input {
        documents: vec![text.into_bytes()],
        links,
    }
}

fn statements(random: &mut Random, text: &mut String) {
    for _ in 0..3 + random.below(8) {
        let (left, right) = (random.word(), random.word());
        text.push_str(&match random.below(16) {
            0 => format!("\tcase {}:\n", random.word().to_uppercase()),
            1 => format!(
                "\tif (self->{left} < text[{}])\n\t\treturn {right};\n",
                random.below(9)
            ),
            2 => format!("\tprintf(\"%s: {left}\\n\", self->{right});\n"),
            3 => format!("\t{left} = {right} ? {} : 0;\n", random.below(99)),
            4 => format!("\t// {}\n", random.words(6)),
            _ => format!("\tself->{left} = {right}_{left}(self, text);\n"),
        });
    }
}

/// The log of a server: a line in four has a URI.
pub(super) fn log(seed: u64, bytes: usize) -> Input {
    let mut random = Random::new(seed);
    let mut text = String::new();
    let mut links = 0;
    while text.len() < bytes {
        let (day, hour) = (1 + random.below(28), random.below(24));
        let (minute, second) = (random.below(60), random.below(60));
        let (worker, time) = (random.below(16), random.below(100));
        let path = random.joined(2, "/");
        text.push_str(&format!(
            "2024-05-{day:02}T{hour:02}:{minute:02}:{second:02}Z INFO worker{worker}: GET /{path} status: 200 time: 0.{time:02}"
        ));
        if random.percent(25) {
            text.push_str(&format!(" referrer \"{}\"", random.uri()));
            links += 1;
        }
        text.push('\n');
    }
    Input {
        documents: vec![text.into_bytes()],
        links,
    }
}

/// JSON that is full of URIs.
pub(super) fn dense(seed: u64, bytes: usize) -> Input {
    let mut random = Random::new(seed);
    let mut text = String::new();
    let mut links = 0;
    while text.len() < bytes {
        let (number, one, other) = (random.below(1000), random.uri(), random.uri());
        text.push_str(&format!(
            "{{\"id\": {number}, \"url\": \"{one}\", \"next\":\"{other}\"}},\n"
        ));
        links += 2;
    }
    Input {
        documents: vec![text.into_bytes()],
        links,
    }
}
