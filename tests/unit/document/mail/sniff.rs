use super::*;

#[test]
    #[rustfmt::skip]
    fn messages_are_distinguished_from_other_texts() {
        let long = "Received: from a\n\tby b\n".repeat(7);
        let rows: &[(&str, bool)] = &[
            ("Received: by a\nFrom: b\n\n", true),
            ("received:by a\nDATE: x", true),
            ("Subject: x\nContent-Type: text/plain\n\ntext\n", true),
            ("Path: news.example!not-for-mail\r\nNewsgroups: a.b\r\n\r\n", true),
            ("X-From-Line: a\nList-Id: <b>\n", true),
            ("List-Id: a\nList-Help: <b>\n", true),
            ("ARC-Seal: a\n b\n c\nARC-Message-Signature: d\n", true),
            ("Return-Path: <a>\rSubject: x\r\rtext", true),
            ("\u{FEFF}Subject: x\nMIME-Version: 1.0\n", true),
            ("From someone here\nReturn-Path: <a>\nTo: b\n", true),
            (">From someone here\nReturn-Path: <a>\nTo: b\n", true),
            ("Subject: x\n>From someone\nReceived: by a\n", true),
            ("Thread-Index: a\nOther: b\nMIME-Version: 1.0\nTo: c\n", true),
            (&format!("{long}Subject: x\n"), true),
            // The seventeenth line is not examined.
            (&format!("{long}A: b\n c\nSubject: x\n"), false),
            // Not enough names, or only common ones.
            ("From: a\nTo: b\nDate: c\nSubject: d\n\ntext\n", false),
            ("Received: by a\nReceived: by b\n\n", false),
            ("Received: by a\n\nSubject: x\n", false),
            ("Received: by a\nno field\nSubject: x\n", false),
            // The first line is no field.
            ("\nReceived: by a\nSubject: x\n", false),
            ("From\nReceived: by a\nSubject: x\n", false),
            ("From here on\n\nReceived: by a\nSubject: x\n", false),
            ("https://x: y\nReceived: by a\nSubject: x\n", false),
            // Other texts.
            ("---\ntitle: x\ndate: 2020-01-01\ncontent-type: y\n---\n", false),
            ("Source: x\nSection: misc\nX-Python-Version: 2\nX-Python3-Version: 3\n", false),
            ("Format: 1.8\nDate: Mon, 1 Jan 2020 00:00:00 +0000\nSource: x\n", false),
            ("HTTP/1.1 200 OK\nDate: x\nContent-Type: text/html\nX-Cache: HIT\n", false),
            ("GET / HTTP/1.1\nHost: a\nContent-Type: text/html\nX-Cache: HIT\n", false),
            ("name: x\ncolour: y\ndate: z\nto: a\n", false),
            ("PEP: 8\nTitle: x\nContent-Type: text/x-rst\nCreated: y\n", false),
            ("", false),
        ];
        for (text, expected) in rows {
            assert_eq!(is_message(text.as_bytes()), *expected, "{text:?}");
        }
    }
