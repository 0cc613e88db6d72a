use super::*;
use crate::document::FormatOptions;

/// Reads a header whose bytes come in pieces; returns all that it says.
fn read<'a>(pieces: impl Iterator<Item = &'a [u8]>, mut hyphens: Hyphens) -> String {
    let mut options = FormatOptions::default();
    (options.mail.envelope, options.mail.ids) = (true, true);
    let mut scanners = PartScanners::new(&options);
    let mut header = Header::default();
    header.begin();
    let (mut bytes, mut at, mut stop) = (Vec::new(), 0, HeaderStop::NeedMore);
    let mut pieces = pieces.peekable();
    while let Some(piece) = pieces.next()
        && stop == HeaderStop::NeedMore
    {
        bytes.extend_from_slice(piece);
        let end = pieces.peek().is_none();
        let from = at;
        (at, stop) = header.feed(&bytes, at, end, hyphens, &mut scanners);
        if hyphens == Hyphens::Take && at > from {
            hyphens = Hyphens::Stop;
        }
    }
    let Header {
        entity,
        values,
        events,
        diagnostics,
        offset,
        line,
        ..
    } = &header;
    let diagnostics = diagnostics.iter().map(|code| code.name);
    let diagnostics: Vec<_> = diagnostics.collect();
    format!("{at} {stop:?} {entity:?} {values:?} {events:?} {diagnostics:?} {offset} {line}")
}

#[test]
fn whole_fields_equal_their_lines() {
    let long = format!(
        "Subject: http://example.com/{}\n x\n",
        "y".repeat(MAX_FIELD)
    );
    let pieces: &[&str] = &[
        "Subject: see http://example.com/a\n",
        "Subject : <http://example.com/\n b>\r\n\tc\n",
        "subject:\n",
        "List-Archive: <http://example.com/l>,\n\t<mailto:l@example.com>\n",
        "Content-Type: text/plain;\n charset=utf-8\n",
        "Content-Type: message/external-body; access-type=URL;\n url=\"http://exa\n mple.com/\"\n",
        "Content-Transfer-Encoding: (c) Base64\n",
        "Content-Disposition: attachment;\n\tfilename=a.html\n",
        "Content-ID: <a\n b@example.com>\r\n",
        "Content-Location: http://example.\n com/\n",
        "Message-ID: <id@example.com>\n",
        "References: <a@example.com>\n <b@example.com>\n",
        "Content-Length: 12\n",
        "From: a@example.com\n",
        "Date: Mon, 1 Jan 2024 00:00:00 +0000\n",
        "Received: from a\n\tby b\n \n",
        "X-A-Name-Longer-Than-Any-Block-Of-Bytes-Compared: v\n",
        "X-Long-Line: 0123456789012345678901234567890123456789012345678901234567890123456789\n",
        "From a@example.com Mon Jan  1 00:00:00 2024\n",
        ">From b\n",
        "--b\n",
        "--b: c\n",
        " d\n",
        "http://example.com/\n",
        "no field\n",
        "\u{e9}: x\n",
        ": x\n",
        "\n",
        "\r\n",
        &long,
    ];
    let mut state = 1_u32;
    let mut random = |limit: usize| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as usize % limit
    };
    for round in 0..600 {
        let count = 1 + random(7);
        let text: String = (0..count)
            .map(|_| pieces[random(pieces.len() - 1)])
            .collect();
        let text = match round % 200 {
            0 => [long.as_str(), &text].concat(),
            1 => [&text, long.as_str(), &text].concat(),
            _ => text,
        };
        let text = text.as_bytes();
        let text = &text[..(text.len() - random(2)).max(1)];
        for hyphens in [Hyphens::Stop, Hyphens::Take, Hyphens::TakeAll] {
            // In pieces of one line each no whole field is in view.
            let whole = read([text].into_iter(), hyphens);
            let lines = read(text.split_inclusive(|&byte| byte == b'\n'), hyphens);
            let start = &text[..text.len().min(400)];
            assert!(whole == lines, "{:?}", str::from_utf8(start));
        }
    }
}

#[test]
fn a_delimiter_ends_the_field_before_it() {
    for hyphens in [Hyphens::Stop, Hyphens::TakeAll] {
        let found = read(
            [b"Subject: http://example.com/a\n--b\n".as_slice()].into_iter(),
            hyphens,
        );
        assert_eq!(found.matches("Reference(").count(), 1, "{found}");
    }
}
