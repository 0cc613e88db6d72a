use super::*;

#[test]
    #[rustfmt::skip]
    fn addresses_are_extracted() {
        let rows: &[(&str, Option<&str>)] = &[
            (" alice@example.com", Some("alice@example.com")),
            ("Alice <alice@example.com>", Some("alice@example.com")),
            ("\"Smith, Alice <x@example.org>\" <alice@example.com>, b@example.com", Some("alice@example.com")),
            ("alice@example.com (Alice (at home))", Some("alice@example.com")),
            ("(Alice) alice@example.com", Some("alice@example.com")),
            ("=?utf-8?Q?Al=C3=ADce?= <alice@example.com>", Some("alice@example.com")),
            ("Alice\r\n <alice@example.com>", Some("alice@example.com")),
            ("<@a.example,@b.example:alice@example.com>", Some("alice@example.com")),
            ("\"a b\"@example.com", Some("\"a b\"@example.com")),
            ("<\"a>b\"@example.com>", Some("\"a>b\"@example.com")),
            ("Friends: alice@example.com, b@example.com;", Some("alice@example.com")),
            ("alice@example.com, b@example.com", Some("alice@example.com")),
            ("alice at example.com (Alice)", Some("alice at example.com")),
            ("caf\u{e9}@example.com", Some("caf\u{e9}@example.com")),
            ("Alice <alice@example.com", Some("alice@example.com")),
            ("Nobody:;", None),
            ("=?utf-8?Q?Friends=3A_=3Cx=3E?= <alice@example.com>", Some("alice@example.com")),
            ("=?utf-8?Q?Alice_<alice@example.com>?=", Some("alice@example.com")),
            ("Nobody:;, alice@example.com", Some("alice@example.com")),
            ("\"never closed <alice@example.com>", Some("alice@example.com")),
            ("<>", None),
            ("(only a comment)", None),
            ("", None),
        ];
        for (value, expected) in rows {
            assert_eq!(address(value.as_bytes()).as_deref(), *expected, "{value:?}");
        }
        assert_eq!(address(b"caf\xE9@example.com").as_deref(), Some("caf\u{e9}@example.com"));
    }

#[test]
    #[rustfmt::skip]
    fn subjects_are_decoded_and_truncated_between_characters() {
        let rows: &[(&[u8], &str)] = &[
            (b" Re: one\r\n two", "Re: one two"),
            (b"=?utf-8?Q?caf=C3=A9?=\n =?iso-8859-1?B?6Q==?=", "caf\u{e9}\u{e9}"),
            (b"caf\xE9 =?utf-8?Q?=C3=A9?=", "caf\u{e9} \u{e9}"),
            (b"", ""),
        ];
        for (raw, expected) in rows {
            assert_eq!(subject(raw), *expected, "{raw:?}");
        }
        let long = ["x", &"\u{e9}".repeat(400)].concat();
        assert_eq!(subject(long.as_bytes()), long[..511]);
        let words = "=?utf-8?B?w6k=?= ".repeat(3000);
        assert_eq!(subject(words.as_bytes()).len(), 512);
    }

#[test]
    #[rustfmt::skip]
    fn dates_of_every_form_become_utc() {
        let rows: &[(&str, Option<&str>)] = &[
            // RFC 5322 appendix A.
            ("Fri, 21 Nov 1997 09:55:06 -0600", Some("1997-11-21T15:55:06Z")),
            ("Thu,\r\n      13\r\n        Feb\r\n          1969\r\n      23:32\r\n               -0330 (Newfoundland Time)", Some("1969-02-14T03:02:00Z")),
            ("21 Nov 97 09:55:06 GMT", Some("1997-11-21T09:55:06Z")),
            ("Tue, 1 Jul 2003 10:52:37 +0200", Some("2003-07-01T08:52:37Z")),
            // Years of two and three digits.
            ("1 Jan 49 00:00:00 UT", Some("2049-01-01T00:00:00Z")),
            ("1 Jan 50 00:00:00 UT", Some("1950-01-01T00:00:00Z")),
            ("1 Jan 100 00:00:00 +0000", Some("2000-01-01T00:00:00Z")),
            // Zones.
            ("31 Dec 1999 20:00 PST", Some("2000-01-01T04:00:00Z")),
            ("1 Mar 2000 00:30 +0100", Some("2000-02-29T23:30:00Z")),
            ("1 Mar 1900 00:30 +0100", Some("1900-02-28T23:30:00Z")),
            ("1 Jan 2000 00:00 Z", Some("2000-01-01T00:00:00Z")),
            ("1 Jan 2000 00:00 A", Some("2000-01-01T00:00:00Z")),
            ("1 Jan 2000 00:00 -0000", Some("2000-01-01T00:00:00Z")),
            ("1 Jan 2000 00:00", Some("2000-01-01T00:00:00Z")),
            ("1 Jan 2000 00:00 GMT+0100", Some("1999-12-31T23:00:00Z")),
            ("1 Jan 2000 12:00 +0200 CEST", Some("2000-01-01T10:00:00Z")),
            ("1 Jan 2000 00:00 +99:59", Some("1999-12-27T20:01:00Z")),
            ("30 Dec 1999 00:00 -9959", Some("2000-01-03T03:59:00Z")),
            // Comments nest, and may never close.
            ("Fri (a (b) \\)), 21 (c) Nov 1997 09:55:06 -0600 (CST", Some("1997-11-21T15:55:06Z")),
            ("Fri (a (b) \\)), 21 (c) Nov 1997 09:55:06 -0600 (CST)", Some("1997-11-21T15:55:06Z")),
            // Old news, asctime, a 12-hour clock, fractions.
            ("Sunday, 06-Nov-94 08:49:37 GMT", Some("1994-11-06T08:49:37Z")),
            ("Fri Sep 25 20:23:00 1998", Some("1998-09-25T20:23:00Z")),
            ("Fri Sep 25 20:23:00 EDT 1998", Some("1998-09-26T00:23:00Z")),
            ("7 August 2008 12:04:05 AM +0000", Some("2008-08-07T00:04:05Z")),
            ("7 Aug 2008 3:04:05 PM +0000", Some("2008-08-07T15:04:05Z")),
            ("7 Aug 2008 03:04:05.678 +0000", Some("2008-08-07T03:04:05Z")),
            ("30 Jun 2015 23:59:60 +0000", Some("2015-06-30T23:59:59Z")),
            // Invalid dates.
            ("", None),
            ("yesterday", None),
            ("30 Feb 2000 10:00 +0000", None),
            ("29 Feb 1900 10:00 +0000", None),
            ("0 Jan 2000 10:00 +0000", None),
            ("1 Jan 2000 24:00 +0000", None),
            ("1 Jan 2000 10:60 +0000", None),
            ("1 Jan 2000 10:00:61 +0000", None),
            ("1 Jan 2000 10:00 +0060", None),
            ("1 Jan 2000 13:00 PM", None),
            ("1 Jan 99999999999999999999 10:00 +0000", None),
            ("1 Jan 0000 00:00 +0100", None),
            ("31 Dec 9999 23:59 -0100", None),
            ("1 Jan 2000 2001 10:00 +0000", None),
            ("1 Jan 2000 10:00 +\u{0661}", None),
        ];
        for (value, expected) in rows {
            assert_eq!(date(value.as_bytes()).as_deref(), *expected, "{value:?}");
        }
    }

#[test]
fn hostile_dates_are_none() {
    for byte in 0..=255_u8 {
        for length in [1, 2, 3, 5, 1000, 1 << 16] {
            assert_eq!(date(&vec![byte; length]), None);
            let mut value = b"1 Jan 2000 10:00 ".to_vec();
            value.resize(value.len() + length, byte);
            let _ = date(&value);
        }
    }
}
