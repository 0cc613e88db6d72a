//! Mailboxes by others, which split at every line that starts with `From ` and do less: no header
//! fields, no bases, no positions, no parts outside the tree.

use linkify::{LinkFinder, LinkKind};
use mail_parser::{MessageParser, PartType};
use mailparse::ParsedMail;

use crate::html::by_html5gum;

/// The messages without their separators, as most readers of mailboxes split them.
pub fn messages(archive: &[u8]) -> impl Iterator<Item = &[u8]> {
    let starts = memchr::memmem::find_iter(archive, b"\nFrom ").map(|at| at + 1);
    let mut ends = starts.chain([archive.len()]);
    let mut start = 0;
    std::iter::from_fn(move || {
        let end = ends.next()?;
        let message = &archive[start..end];
        start = end;
        let line = memchr::memchr(b'\n', message).map_or(0, |at| at + 1);
        Some(&message[line..])
    })
}

fn finder() -> LinkFinder {
    let mut finder = LinkFinder::new();
    finder.kinds(&[LinkKind::Url]);
    finder
}

/// `mailparse`, with `linkify` for text and `html5gum` for HTML.
pub fn by_mailparse(archive: &[u8]) -> usize {
    let finder = finder();
    let links = |message| {
        let mail = mailparse::parse_mail(message);
        mail.map_or(0, |mail| leaf_links(&mail, &finder))
    };
    messages(archive).map(links).sum()
}

fn leaf_links(mail: &ParsedMail<'_>, finder: &LinkFinder) -> usize {
    let links = |part| leaf_links(part, finder);
    let inner: usize = mail.subparts.iter().map(links).sum();
    let media_type = mail.ctype.mimetype.as_str();
    let is_text = media_type.starts_with("text/") || media_type.starts_with("message/");
    if !mail.subparts.is_empty() || !is_text {
        return inner;
    }
    match mail.get_body() {
        Ok(body) if media_type == "text/html" => inner + by_html5gum(body.as_bytes()),
        Ok(body) => inner + finder.links(&body).count(),
        Err(_) => inner,
    }
}

/// `mail-parser`, with the same two.
pub fn by_mail_parser(archive: &[u8]) -> usize {
    let finder = finder();
    let parser = MessageParser::default();
    let links = |message| {
        parser
            .parse(message)
            .map_or(0, |mail| part_links(&mail, &finder))
    };
    messages(archive).map(links).sum()
}

fn part_links(mail: &mail_parser::Message<'_>, finder: &LinkFinder) -> usize {
    let links = |part: &mail_parser::MessagePart<'_>| match &part.body {
        PartType::Text(text) => finder.links(text).count(),
        PartType::Html(html) => by_html5gum(html.as_bytes()),
        PartType::Message(inner) => part_links(inner, finder),
        _ => 0,
    };
    mail.parts.iter().map(links).sum()
}
