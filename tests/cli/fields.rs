//! Keys of records that are there on request.

use serde_json::{Value, json};

use super::Tree;
use super::mail::attached;
use crate::packages::zip::{Member, zip};

/// The values of keys of the first link.
fn values(tree: &Tree, arguments: &[&str], keys: &str) -> Vec<Value> {
    let ran = tree.run(&[arguments, &["--json", "--fields", keys]].concat());
    let record: Value = serde_json::from_str(ran.out.lines().next().unwrap()).unwrap();
    keys.split(',').map(|key| record[key].clone()).collect()
}

#[test]
fn keys_of_the_target_are_in_every_output() {
    let uri = "HTTPS://Ann@WWW.Example.CO.UK:443/A?b#c";
    let tree = Tree::new(&[("a.txt", &format!("<{uri}>\n"))]);
    let keys = "host,host_rev,scheme,registered_domain,surt,page_host,page_host_rev,http_status,\
                content_language,reference_text";
    let got = values(&tree, &["a.txt"], keys);
    let expected = json!([
        "www.example.co.uk",
        "uk.co.example.www",
        "https",
        "example.co.uk",
        "uk,co,example)/a?b",
        null,
        null,
        null,
        null,
        uri
    ]);
    assert_eq!(Value::from(got), expected);
    tree.run(&[
        "a.txt",
        "--format",
        "csv",
        "--fields",
        "registered_domain,surt,host",
    ])
    .is(
        0,
        "registered_domain,surt,host\nexample.co.uk,\"uk,co,example)/a?b\",www.example.co.uk\n",
    );
    tree.run(&["a.txt", "--format", "tsv", "--columns", "scheme,host_rev"])
        .is(0, "scheme\thost_rev\nhttps\tuk.co.example.www\n");
    tree.run(&["a.txt", "--json", "--columns", "host,target"])
        .is(
            0,
            &format!("{{\"type\":\"link\",\"host\":\"www.example.co.uk\",\"target\":\"{uri}\"}}\n"),
        );
    // By default they are in no record.
    let ran = tree.run(&["a.txt", "--json"]);
    assert!(
        !ran.out.contains("\"host\"") && !ran.out.contains("reference_text"),
        "{}",
        ran.out
    );
}

#[test]
fn sets_of_columns_and_names_can_be_joined() {
    let tree = Tree::new(&[("a.txt", "http://example.com/\n")]);
    let header = |columns| {
        let ran = tree.run(&["a.txt", "--format", "csv", "--columns", columns]);
        ran.out.lines().next().unwrap().to_owned()
    };
    assert_eq!(header("path,target,host"), "path,target,host");
    let core = header("core");
    assert!(core.starts_with("path,member,line,column,"), "{core}");
    assert_eq!(header("core,host"), format!("{core},host"));
    assert_eq!(
        header("path,core,path").split(',').count(),
        core.split(',').count()
    );
    tree.run(&["a.txt", "--columns", "nothing"])
        .tells(2, "", "core, mail, web, all");
    tree.run(&["a.txt", "--columns", "path", "--fields", "path"])
        .tells(2, "", "--fields");
}

#[test]
fn keys_of_the_page_are_those_of_its_record() {
    let body = "HTTP/1.1 404 Not Found\r\nContent-Type: text/html\r\nContent-Language: de-AT\r\n\r\n<a href=x>";
    let warc = format!(
        "WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:1>\r\n\
         WARC-Target-URI: http://News.Example.org./a\r\nContent-Length: {}\r\n\
         Content-Type: application/http; msgtype=response\r\n\r\n{body}\r\n\r\n",
        body.len()
    );
    let tree = Tree::new(&[("a.warc", &warc)]);
    let keys = "page_host,page_host_rev,http_status,content_language";
    let expected = json!(["news.example.org", "org.example.news", 404, "de-AT"]);
    assert_eq!(Value::from(values(&tree, &["a.warc"], keys)), expected);
}

/// Fields of RFC 5322 appendix A.2, RFC 2919 and RFC 2183, and the labels of an export of Gmail.
const LETTER: &str = "Date: Fri, 21 Nov 1997 10:01:10 -0600\r\n\
    From: =?utf-8?Q?J=C3=B6hn_\"Q\"?= Doe <jdoe@machine.example>\r\n\
    To: \"Mary Smith: Personal Account\" <smith@home.example>,\r\n b@x.example (Bob, the), Group: c@x.example;\r\n\
    Cc: <boss@nil.test>\r\n\
    Reply-To: \"Mary Smith\" <reply@x.example>\r\n\
    In-Reply-To: <3456@example.net> (his letter)\r\n\
    References: <1234@local.machine.example>\r\n <2345@example.com>\r\n\t<3456@example.net>\r\n\
    List-Id: =?utf-8?Q?The_L=C3=ADst?= <list.example.com>\r\n\
    X-Gmail-Labels: =?UTF-8?Q?Inbox,Wichtig=C3=A9,\"a,b\"?=\r\n\
    Content-Type: multipart/mixed; boundary=b\r\n\r\n\
    --b\r\nContent-Disposition: ATTACHMENT; filename*=utf-8''n%C3%B6te.txt\r\n\r\nhttp://example.com/\r\n--b--\r\n";

#[test]
fn fields_of_a_message_are_keys_on_request() {
    let tree = Tree::new(&[
        ("a.eml", LETTER),
        ("b.eml", "Subject: x\r\n\r\nhttp://example.com/\r\n"),
    ]);
    let keys = "from_name,message_from,message_to,message_cc,reply_to,in_reply_to,references_id,list_id,\
                labels,filename,disposition,date_source,message_date";
    let expected = json!([
        "J\u{f6}hn Q Doe",
        "jdoe@machine.example",
        ["smith@home.example", "b@x.example", "c@x.example"],
        ["boss@nil.test"],
        "reply@x.example",
        "<3456@example.net>",
        ["<1234@local.machine.example>", "<3456@example.net>"],
        "list.example.com",
        ["Inbox", "Wichtig\u{e9}", "a,b"],
        "n\u{f6}te.txt",
        "attachment",
        "date",
        "1997-11-21T16:01:10Z"
    ]);
    assert_eq!(Value::from(values(&tree, &["a.eml"], keys)), expected);
    let nothing = vec![Value::Null; expected.as_array().unwrap().len()];
    assert_eq!(values(&tree, &["b.eml"], keys), nothing);
    tree.run(&[
        "a.eml",
        "--format",
        "csv",
        "--columns",
        "message_to,list_id,filename",
    ])
    .is(
        0,
        "message_to,list_id,filename\n\
         smith@home.example b@x.example c@x.example,list.example.com,n\u{f6}te.txt\n",
    );
}

#[test]
fn identifiers_and_lists_have_their_bare_form() {
    for (field, key, expected) in [
        (
            "List-Id: <a.example.com>",
            "list_id",
            json!("a.example.com"),
        ),
        ("List-ID: a.example.com", "list_id", json!("a.example.com")),
        (
            "List-Id: \"A <b>\" <a.example.com>",
            "list_id",
            json!("a.example.com"),
        ),
        (
            "References: <1@example.com>",
            "references_id",
            json!(["<1@example.com>", "<1@example.com>"]),
        ),
        ("References: nothing", "references_id", json!(null)),
        (
            "In-Reply-To: Your message of \"Thu, 2 Mar\" <1@example.com>",
            "in_reply_to",
            json!("<1@example.com>"),
        ),
        ("To: Nobody:;", "message_to", json!(null)),
        (
            "From: ann@example.com (Ann \\(at\\) home)",
            "from_name",
            json!("Ann (at) home"),
        ),
        ("From: ann@example.com", "from_name", json!(null)),
        (
            "From: ann@example.com (Ann \"X\" Doe)",
            "from_name",
            json!("Ann \"X\" Doe"),
        ),
        (
            "Message-ID: <1@example.com> (x)",
            "message_id",
            json!("<1@example.com>"),
        ),
    ] {
        let tree = Tree::new(&[(
            "a.eml",
            &format!("Subject: x\n{field}\n\nhttp://example.com/\n"),
        )]);
        assert_eq!(values(&tree, &["a.eml"], key), [expected], "{field}");
    }
}

#[test]
fn a_date_falls_back_to_iso_8601_and_to_the_separator() {
    let separator = "From ann at example.com  Thu Mar  2 10:11:12 2006";
    for (separator, date, expected) in [
        (
            separator,
            "Date: Thu, 2 Mar 2006 10:11:12 +0100",
            json!(["2006-03-02T09:11:12Z", "date"]),
        ),
        (
            separator,
            "Date: 2006-03-04T10:11:12+02:00",
            json!(["2006-03-04T08:11:12Z", "iso8601"]),
        ),
        (
            separator,
            "Date: 2006-03-04 10:11:12.5 -0100",
            json!(["2006-03-04T11:11:12Z", "iso8601"]),
        ),
        (
            separator,
            "Date: 2006-03-04",
            json!(["2006-03-04T00:00:00Z", "iso8601"]),
        ),
        (
            separator,
            "Date: 2006-13-04T10:11:12Z",
            json!(["2006-03-02T10:11:12Z", "from-line"]),
        ),
        (
            separator,
            "Date: yesterday",
            json!(["2006-03-02T10:11:12Z", "from-line"]),
        ),
        (
            separator,
            "X-A: b",
            json!(["2006-03-02T10:11:12Z", "from-line"]),
        ),
        (
            "From a@example.com Fri Sep 16 22:26:51 +0200 2016",
            "X-A: b",
            json!(["2016-09-16T20:26:51Z", "from-line"]),
        ),
        ("From - ", "X-A: b", json!([null, null])),
    ] {
        let tree = Tree::new(&[(
            "a.mbox",
            &format!("{separator}\n{date}\n\nhttp://example.com/\n"),
        )]);
        let got = values(&tree, &["a.mbox"], "message_date,date_source");
        assert_eq!(Value::from(got), expected, "{separator}: {date}");
    }
    let letter = format!("{separator}\nSubject: x\nX-A: b\n\nhttp://example.com/\n");
    let tree = Tree::new(&[("a.eml", &letter)]);
    let got = values(&tree, &["-t", "eml", "a.eml"], "date_source");
    assert_eq!(got, [json!("from-line")]);
}

#[test]
fn links_in_archives_that_are_attached_have_the_name_of_the_file() {
    let archive = zip(&[Member::new("a.txt", "http://example.com/")]);
    let letter = attached("application/zip", "b.zip", &archive);
    let tree = Tree::new(&[("m.eml", &letter)]);
    let arguments = [
        "--attachments",
        "m.eml",
        "--format",
        "csv",
        "--fields",
        "member,filename",
    ];
    tree.run(&arguments)
        .is(0, "member,filename\n1/1,\n1/2!a.txt,b.zip\n");
}

#[test]
fn a_key_that_is_named_twice_is_shown_once() {
    let tree = Tree::new(&[("a.txt", "http://example.com/\n")]);
    let arguments = ["a.txt", "--fields", "line,target,line", "--format"];
    let ran = tree.run(&[&arguments[..], &["jsonl"]].concat());
    assert_eq!(
        ran.out,
        "{\"type\":\"link\",\"line\":1,\"target\":\"http://example.com/\"}\n"
    );
    let ran = tree.run(&[&arguments[..], &["csv"]].concat());
    assert_eq!(ran.out, "line,target\n1,http://example.com/\n");
}
