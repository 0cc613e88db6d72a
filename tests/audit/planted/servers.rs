//! Sites with defects behind the rules of each kind of server.

use super::{PlantedTree, planted};
use crate::audit::generated::Random;

const PAGES: usize = 50;
const SOURCES: usize = 40;

/// The name of a file, and what makes its text.
type RuleFile = (&'static str, fn() -> String);

/// A kind of server with the file of its rules.
struct Kind {
    server: &'static str,
    rules: Option<RuleFile>,
    /// `/a` is `a.html`.
    pretty: bool,
    /// Rules redirect `/old-N`, `/blog/NAME` and `/ext-N`.
    redirects: bool,
    /// Rules show the index for `/app/ANY`.
    rewrites: bool,
    /// A directory that is named without its slash redirects.
    slash: bool,
}

const STATIC: Kind = Kind {
    server: "static",
    rules: None,
    pretty: false,
    redirects: false,
    rewrites: false,
    slash: true,
};

const KINDS: &[Kind] = &[
    STATIC,
    Kind {
        server: "github-pages",
        pretty: true,
        ..STATIC
    },
    Kind {
        server: "nginx-try",
        pretty: true,
        ..STATIC
    },
    Kind {
        server: "netlify",
        rules: Some(("_redirects", lines_of_netlify)),
        pretty: true,
        redirects: true,
        rewrites: true,
        ..STATIC
    },
    Kind {
        server: "netlify",
        rules: Some(("netlify.toml", toml_of_netlify)),
        pretty: true,
        redirects: true,
        rewrites: true,
        ..STATIC
    },
    Kind {
        server: "vercel",
        rules: Some(("vercel.json", vercel)),
        redirects: true,
        rewrites: true,
        slash: false,
        ..STATIC
    },
    Kind {
        server: "apache",
        rules: Some((".htaccess", apache)),
        redirects: true,
        ..STATIC
    },
];

/// The sources and destinations of the redirects of single paths.
fn moved() -> impl Iterator<Item = (String, String)> {
    (0..PAGES).flat_map(|page| {
        [
            (format!("/old-{page}"), format!("/pages/page-{page}.html")),
            (
                format!("/ext-{page}"),
                format!("https://www.example.org/{page}"),
            ),
        ]
    })
}

fn lines_of_netlify() -> String {
    let single: String = moved()
        .map(|(from, to)| format!("{from}  {to} 301\n"))
        .collect();
    format!(
        "# moved\n{single}/blog/*  /pages/:splat\n/app/*  /index.html  200\n/gone/*  /index.html  404\n"
    )
}

fn toml_of_netlify() -> String {
    let rule = |from: &str, to: &str, status: u16| {
        format!("[[redirects]]\nfrom = \"{from}\"\nto = \"{to}\"\nstatus = {status}\n\n")
    };
    let mut text: String = moved().map(|(from, to)| rule(&from, &to, 302)).collect();
    text += &rule("/blog/*", "/pages/:splat", 301);
    text += &rule("/app/*", "/index.html", 200);
    text + &rule("/gone/*", "/index.html", 404)
}

fn vercel() -> String {
    let rule =
        |from: &str, to: &str| format!("{{\"source\": \"{from}\", \"destination\": \"{to}\"}}");
    let mut redirects: Vec<_> = moved().map(|(from, to)| rule(&from, &to)).collect();
    redirects.push(rule("/blog/:path*", "/pages/:path*"));
    let rewrite = rule("/app/(.*)", "/index.html");
    format!(
        "{{\"redirects\": [{}], \"rewrites\": [{rewrite}]}}",
        redirects.join(",\n")
    )
}

fn apache() -> String {
    let single: String = moved()
        .map(|(from, to)| format!("Redirect 301 {from} {to}\n"))
        .collect();
    format!("{single}RedirectMatch ^/blog/(.*)$ /pages/$1\nRedirect gone /gone\n")
}

/// A reference, its state, and the rule that it breaks.
fn link(
    random: &mut Random,
    kind: &Kind,
    number: usize,
) -> (String, &'static str, Option<&'static str>) {
    let page = random.below(PAGES);
    let broken = |reference: String, rule| (reference, "broken", Some(rule));
    let fine = |reference: String| (reference, "ok", None);
    // Behind what the server does not do, nothing is.
    let redirected = |reference: String| match kind.redirects {
        true => (reference, "ok", Some("redirected")),
        false => (reference, "broken", Some("broken-file")),
    };
    match number % 16 {
        0 => redirected(format!("/old-{page}")),
        1 => redirected(format!("/old-{page}?q#s0")),
        2 if kind.redirects => broken(format!("/old-{page}#none-{number}"), "broken-fragment"),
        3 => redirected(format!("/blog/page-{page}.html")),
        4 => broken(format!("/blog/none-{number}.html"), "broken-file"),
        5 if kind.redirects => broken(format!("/blog/page-{page}.html#s1"), "broken-fragment"),
        6 if kind.redirects => (format!("/ext-{page}"), "ok", Some("redirected")),
        7 if kind.rewrites => fine(format!("/app/any/{number}#top-of-app")),
        7 => broken(format!("/app/any/{number}"), "broken-file"),
        8 if kind.rewrites => broken(format!("/app/any/{number}#none"), "broken-fragment"),
        9 if kind.pretty => fine(format!("/pages/page-{page}#s0")),
        9 | 10 if !kind.pretty => broken(format!("/pages/page-{page}"), "broken-file"),
        10 => broken(
            format!("/pages/page-{page}#none-{number}"),
            "broken-fragment",
        ),
        11 => broken(format!("/gone/{number}"), "broken-file"),
        12 if kind.slash => ("/pages".into(), "ok", Some("redirected")),
        13 => broken(format!("/missing-{number}"), "broken-file"),
        14 => broken(
            format!("/pages/page-{page}.html#none-{number}"),
            "broken-fragment",
        ),
        _ => fine(format!("/pages/page-{page}.html#s0")),
    }
}

fn site(kind: &Kind) -> PlantedTree {
    let mut random = Random(3);
    let mut tree = PlantedTree::default();
    for page in 0..PAGES {
        tree.line(&format!("site/pages/page-{page}.html"), "<p id=s0>x");
    }
    tree.line("site/pages/index.html", "<p>x");
    tree.line("site/index.html", "<p id=top-of-app>x");
    let mut number = 0;
    while tree.defects.len() < planted() {
        let (reference, state, rule) = link(&mut random, kind, number);
        let source = format!("site/from-{}.html", number % SOURCES);
        tree.link(&source, &reference, state, rule);
        number += 1;
    }
    if let Some((name, text)) = &kind.rules {
        tree.files
            .insert(format!("site/{name}"), text().into_bytes());
        // A file that is not hidden is read as text too, and has destinations elsewhere as references.
        if !name.starts_with('.') {
            (0..PAGES).for_each(|_| tree.count("external"));
        }
    }
    tree
}

#[test]
fn planted_defects_are_found_for_every_kind_of_server() {
    for kind in KINDS {
        let tree = site(kind);
        let root = "site=https://example.com/";
        tree.check(&["--server", kind.server, "--root", root]);
        if kind.rules.is_some() {
            // The file of rules tells the kind.
            tree.check_workers(&tree.write(), &["--root", root]);
        }
    }
}
