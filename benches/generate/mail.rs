//! Mailboxes: plain text with replies, quoted-printable HTML, attachments, HTML in base64.

use data_encoding::BASE64;

use super::Input;
use super::random::Random;

/// What a relay writes above a message; relays write a lot.
const TRACE: &str = "Received: from mx.example.com by mail.example.org with ESMTP id 0123456789ABCDEF\n\tfor <list@example.org>; Thu, 2 Mar 2006 10:11:12 +0000\n";

/// Appends the body of a message, and returns the number of its links.
type Body = fn(&mut Random, &mut String) -> usize;

/// A mailing list, as most are: one message in eight has an attachment, two have HTML.
pub(super) fn list(seed: u64, bytes: usize) -> Input {
    let bodies = [attachment, html, html, plain, plain, plain, plain, plain];
    mailbox(seed, bytes, &bodies)
}

/// A mailbox of plain text, quoted-printable HTML and HTML in base64, a third of the messages each.
pub(crate) fn encoded(seed: u64, bytes: usize) -> Input {
    mailbox(seed, bytes, &[plain, html, base64])
}

/// A mailbox: a link in the header of every message, and some in its parts.
fn mailbox(seed: u64, bytes: usize, bodies: &[Body]) -> Input {
    let mut random = Random::new(seed);
    let mut text = String::new();
    let mut links = 0;
    while text.len() < bytes {
        let subject = random.words(4);
        text.push_str("From ann@example.com Thu Mar  2 10:11:12 2006\n");
        text.push_str(&TRACE.repeat(2 + random.below(6)));
        text.push_str(&format!(
            "List-Archive: <http://lists.example.org/archive>\nSubject: Re: {subject}\n"
        ));
        links += 1;
        links += bodies[random.below(bodies.len())](&mut random, &mut text);
    }
    Input {
        documents: vec![text.into_bytes()],
        links,
    }
}

fn lines(random: &mut Random, mark: &str, text: &mut String) {
    for _ in 0..4 + random.below(16) {
        text.push_str(&format!("{mark}{}\n", random.words(10)));
    }
}

fn plain(random: &mut Random, text: &mut String) -> usize {
    text.push_str("Content-Type: text/plain; charset=utf-8\n\n");
    lines(random, "> ", text);
    let uri = random.uri();
    text.push_str(&format!("> see <{uri}>\n"));
    lines(random, "", text);
    text.push_str(&format!("{}\n\n", random.uri()));
    2
}

fn html(random: &mut Random, text: &mut String) -> usize {
    text.push_str("Content-Type: multipart/alternative; boundary=x\n\n--x\n\n");
    lines(random, "", text);
    text.push_str("--x\nContent-Type: text/html\nContent-Transfer-Encoding: quoted-printable\n\n");
    for _ in 0..8 + random.below(16) {
        let words = random.words(8);
        text.push_str(&format!(
            "<p class=3D\"a\">{words} =\n{}</p>\n",
            random.words(3)
        ));
    }
    let uri = random.uri();
    text.push_str(&format!(
        "<a href=3D\"{uri}\">=\n{}</a>\n--x--\n\n",
        random.word()
    ));
    1
}

fn attachment(random: &mut Random, text: &mut String) -> usize {
    text.push_str("Content-Type: multipart/mixed; boundary=x\n\n--x\n\n");
    lines(random, "", text);
    text.push_str("--x\nContent-Type: application/zip\nContent-Transfer-Encoding: base64\n\n");
    let line = "VGhpcyBsaW5lIGlzIHBhcnQgb2YgYW4gYXR0YWNobWVudCB0aGF0IG5vYm9keSBkZWNvZGVzLg0K\n";
    text.push_str(&line.repeat(50 + random.below(300)));
    text.push_str("--x--\n\n");
    0
}

fn base64(random: &mut Random, text: &mut String) -> usize {
    text.push_str("Content-Type: text/html\nContent-Transfer-Encoding: base64\n\n");
    let mut html = String::new();
    for _ in 0..8 + random.below(16) {
        html.push_str(&format!("<p class=\"a\">{}</p>\n", random.words(11)));
    }
    html.push_str(&format!(
        "<a href=\"{}\">{}</a>\n",
        random.uri(),
        random.word()
    ));
    for line in html.as_bytes().chunks(57) {
        let mut encoded = [0; 76];
        let encoded = &mut encoded[..BASE64.encode_len(line.len())];
        BASE64.encode_mut(line, encoded);
        text.extend(encoded.iter().copied().map(char::from));
        text.push('\n');
    }
    text.push('\n');
    1
}
