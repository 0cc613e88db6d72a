//! A thousand mails with one link each: every second one shows another host than it leads to.

use super::Tree;

/// Registered domains, some below a country's second level; the last has no known suffix.
const DOMAINS: [&str; 6] = [
    "example.com",
    "example.org",
    "example.net",
    "example.co.uk",
    "example.org.uk",
    "bank.example",
];

/// What a link shows of a domain `@`, in HTML; the first ones have a scheme or `www.`.
const SHOWN: [&str; 14] = [
    "www.@",
    "https://@/",
    "HTTP://WWW.@/A",
    "<b>www.</b>@/login",
    "&#104;ttps://<span>www.</span>@",
    "<span>https://</span><wbr>@",
    "https://mail.@/\u{2026}",
    "\r\n  https://www.@:443/x?a=b#c\r\n",
    "@",
    " @\r\n",
    "login.@/a?b=c",
    "@.",
    "@:443/x",
    "<font color=red>exa</font><!-- x -->mple@",
];
const NAMED_IN_FULL: usize = 8;

/// What names no host, whatever the link leads to.
const SILENT: [&str; 10] = [
    "click here",
    "report.zip",
    "README.md",
    "index.html",
    "1.2.3",
    "ann&commat;@",
    "@ has news",
    "<img src=cid:1>",
    "build.rs",
    "N.N. et al.",
];

/// Where a link to the domain `@` leads; `#` is the domain that it shows.
const TARGETS: [&str; 6] = [
    "https://@/",
    "http://www.@/a",
    "https://a.b.@:8443/x?y",
    "https://#:x&commat;www.@/",
    "https://@/?u=https://#/",
    "HTTPS://@./login",
];

/// The gateways around the target `@`, percent-encoded.
const GATEWAYS: [&str; 4] = [
    "https://nam02.safelinks.protection.outlook.com/?url=@&amp;data=05",
    "https://www.google.com/url?q=@&amp;sa=D",
    "https://l.facebook.com/l.php?u=@&amp;h=x",
    "https://duckduckgo.com/l/?uddg=@",
];

fn percent_encoded(url: &str) -> String {
    let plain = url.replace("&commat;", "@");
    let coded = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'.' | b'-' => char::from(byte).to_string(),
        _ => format!("%{byte:02X}"),
    };
    plain.bytes().map(coded).collect()
}

/// Returns the message with a number, and whether its link deceives.
fn message(number: usize) -> (String, bool) {
    let mut state = number as u64;
    let mut pick = |count: usize| {
        state = state.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(1);
        (state >> 33) as usize % count
    };
    let deceives = number % 2 == 1;
    let shown = DOMAINS[pick(DOMAINS.len())];
    let is_known = shown != "bank.example";
    let other = DOMAINS[(pick(DOMAINS.len() - 1) + 1) % DOMAINS.len()];
    let other = if other == shown {
        "example.edu.au"
    } else {
        other
    };
    let is_silent = !deceives && pick(4) == 0;
    // An honest link leads to the domain that it shows, or shows none.
    let reached = if deceives || is_silent { other } else { shown };
    let text = if is_silent {
        SILENT[pick(SILENT.len())]
            .replace('@', shown)
            .replace("ann&commat;@", "ann&#64;")
    } else {
        let forms = if is_known {
            SHOWN.len() - 1
        } else {
            NAMED_IN_FULL
        };
        match pick(forms + usize::from(shown.starts_with("example"))) {
            13 => SHOWN[13].replace('@', &shown[7..]),
            form => SHOWN[form].replace('@', shown),
        }
    };
    let target = TARGETS[pick(TARGETS.len())]
        .replace('@', reached)
        .replace('#', shown);
    let href = match pick(GATEWAYS.len() * 2) {
        gateway @ 0..4 => GATEWAYS[gateway].replace('@', &percent_encoded(&target)),
        _ => target,
    };
    let html = format!("<p>Hello,</p>\r\n<p><a href=\"{href}\">{text}</a></p>\r\n");
    let message = format!(
        "From a@example.com Thu Mar  2 10:11:12 2006\r\nMessage-ID: <{number}@example.com>\r\n\
         Content-Type: text/html; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n\r\n{html}\r\n"
    );
    (message, deceives)
}

#[test]
fn deceptive_texts_are_flagged_and_honest_ones_are_not() {
    let (messages, deceptive): (Vec<String>, Vec<bool>) = (0..1000).map(message).unzip();
    let tree = Tree::new(&[("a.mbox", &messages.concat())]);
    let ran = tree.run(&[
        "a.mbox",
        "--anchor-text",
        "--format",
        "csv",
        "--fields",
        "message_id,flags,attribute",
    ]);
    let links = ran.out.lines().filter(|line| line.ends_with(",href"));
    let flagged: Vec<bool> = links
        .map(|line| line.contains("text-host-differs"))
        .collect();
    assert_eq!(flagged.len(), 1000);
    let wrong = (0..1000).filter(|&number| flagged[number] != deceptive[number]);
    let wrong: Vec<&str> = wrong.map(|number| messages[number].as_str()).collect();
    assert!(
        wrong.is_empty(),
        "{} are wrong:\n{}",
        wrong.len(),
        wrong.concat()
    );
}
