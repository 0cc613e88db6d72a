use super::*;

#[test]
    #[rustfmt::skip]
    fn separators_are_distinguished_from_text() {
        use PrecedingLine::{Blank, Text};
        let git = "From 0123456789012345678901234567890123456789 Mon Sep 17 00:00:00 2001\nFrom: x\n";
        let rows: &[(&str, PrecedingLine, SeparatorStyle, bool)] = &[
            ("From a@b Thu Mar  2 10:11:12 2006\nA: b", Text, SeparatorStyle::Mail, true),
            ("From a@b Thu Mar  2 10:11:12 2006\ntext", Blank, SeparatorStyle::Mail, true),
            ("From a@b Thu Mar  2 10:11:12 2006\ntext", Text, SeparatorStyle::Mail, false),
            ("From a@b Thu Mar  2 10:11:12 2006\n>From c\n", Text, SeparatorStyle::Mail, true),
            ("From owner-x Fri Sep 25 20:23 CDT 1998\nA: b", Text, SeparatorStyle::Mail, true),
            ("From 123@xxx Fri Sep 16 22:26:51 +0000 2016\nA: b", Text, SeparatorStyle::Mail, true),
            ("From a@b Tue, 14 Apr 2009 10:00:00 +0200\nA: b", Text, SeparatorStyle::Mail, true),
            ("From a@b Mon Jan  3 10:00:00 PM CEST 2005\nA: b", Text, SeparatorStyle::Mail, true),
            ("From alice at example.com  Mon Jan  3 10:00:00 2005\nA: b", Text, SeparatorStyle::Mail, true),
            ("From a!b Thu Mar  2 10:11:12 2006 remote from host\nA: b", Text, SeparatorStyle::Mail, true),
            ("From a!b Thu Mar  2 10:11 EST 89 remote from host\nA: b", Text, SeparatorStyle::Mail, true),
            ("From a@b 2 Mar 06 10:11:12\nA: b", Text, SeparatorStyle::Mail, true),
            ("From 2 Mar 10:11\nA: b", Text, SeparatorStyle::Mail, false),
            ("From - Mon Jan  3 10:00:00 2005\nA: b", Text, SeparatorStyle::Mail, true),
            ("From -\nA: b", Text, SeparatorStyle::Mail, true),
            ("From - \r\nA: b", Text, SeparatorStyle::Mail, true),
            ("From \nA: b", Text, SeparatorStyle::Mail, true),
            ("From \r\nA: b", Text, SeparatorStyle::Mail, true),
            ("From\nA: b", Blank, SeparatorStyle::Mail, false),
            ("From\r\nA: b", Blank, SeparatorStyle::Mail, false),
            ("From \ntext", Blank, SeparatorStyle::Mail, false),
            ("From \nhttps://a.example/: b", Blank, SeparatorStyle::Mail, false),
            ("From \nhttps ://a.example/: b", Blank, SeparatorStyle::Mail, false),
            ("From \nA:/b", Blank, SeparatorStyle::Mail, true),
            ("From sender@host\nhttps://a.example/: b", Blank, SeparatorStyle::Mail, false),
            ("From a@b Thu Mar  2 10:11:12 2006\nhttps://a.example/", Text, SeparatorStyle::Mail, false),
            ("From mboxrd@z Thu Jan  1 00:00:00 1970\nA: b", Text, SeparatorStyle::Mail, true),
            ("From ???@??? Thu Jan  1 00:00:00 1970\nA: b", Text, SeparatorStyle::Mail, true),
            ("From sender@host\nA: b", Blank, SeparatorStyle::Mail, true),
            ("From sender@host\nA: b", Text, SeparatorStyle::Mail, false),
            ("From what I saw\nNote: that", Blank, SeparatorStyle::Mail, false),
            ("From 2 to 3 in 2006\nA: b", Blank, SeparatorStyle::Mail, false),
            ("Fromage\nA: b", Blank, SeparatorStyle::Mail, false),
            (git, Blank, SeparatorStyle::Mail, false),
            (git, Blank, SeparatorStyle::Git, true),
            (git, Blank, SeparatorStyle::Unknown, true),
        ];
        for (bytes, before, style, expected) in rows {
            let got = classify(bytes.as_bytes(), true, *before, *style);
            assert_eq!(matches!(got, FromLine::Separator(_)), *expected, "{bytes:?} {before:?}");
        }
    }

#[test]
fn times_have_two_or_three_numbers() {
    for word in ["9:30", "09:30", "10:11:12", "1:2:3"] {
        assert_eq!(date_part(word.as_bytes()), Some(TIME), "{word}");
    }
    for word in [
        "1:2:3:4", "123:45", "10::11", ":10:11", "10:11:", "10:11:1a", "10:11.5", "1011:12",
    ] {
        assert_eq!(date_part(word.as_bytes()), None, "{word}");
    }
}

#[test]
fn more_bytes_never_change_a_classification() {
    for text in [
        "From a@b Thu Mar  2 10:11:12 2006\nReturn-Path : <x>\nmore",
        "From \nReturn-Path:/x\nmore",
        "From \nhttps://a.example/\nmore",
        "From\nReturn-Path: <x>\nmore",
    ] {
        let text = text.as_bytes();
        let whole = classify(text, true, PrecedingLine::Text, SeparatorStyle::Mail);
        for end in 0..text.len() {
            let cut = classify(
                &text[..end],
                false,
                PrecedingLine::Text,
                SeparatorStyle::Mail,
            );
            assert!(cut == FromLine::Unknown || cut == whole, "{end}: {cut:?}");
        }
    }
}
