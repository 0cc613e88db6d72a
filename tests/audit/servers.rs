//! Servers that answer requests for paths at which no file is.

use super::generated::Random;
use crate::cli::Tree;

/// A page with a link on each line.
fn page(links: &[&str]) -> String {
    let line = |link: &&str| format!("<a href=\"{link}\">x</a>\n");
    links.iter().map(line).collect()
}

/// The findings of a site, a line each: the number of the link, the rule and the reference.
///
/// The links stand in `site/from.html`; findings elsewhere have their path and line.
#[track_caller]
fn findings(server: &str, files: &[(&str, &str)], links: &[&str]) -> Vec<String> {
    let tree = Tree::new(&[("site/from.html", &page(links))]);
    for (name, text) in files {
        tree.write(format!("site/{name}"), text.as_bytes());
    }
    let ran = tree.run(&[
        "audit",
        "--json",
        "--server",
        server,
        "--root",
        "site=https://example.com/",
    ]);
    let records = ran.out.lines().map(|line| {
        let record: serde_json::Value = serde_json::from_str(line).unwrap();
        record
    });
    let finding = |record: serde_json::Value| {
        let text = |key: &str| record[key].as_str().unwrap_or_default().to_owned();
        let place = match text("path").as_str() {
            "site/from.html" => String::new(),
            path => format!("{path}:{}: ", record["line"]),
        };
        format!("{place}{} {}", text("rule"), text("reference"))
    };
    records
        .filter(|record| record["type"] == "finding")
        .map(finding)
        .collect()
}

/// Checks that links have no finding.
#[track_caller]
fn fine(server: &str, files: &[(&str, &str)], links: &[&str]) {
    assert_eq!(findings(server, files, links), Vec::<String>::new());
}

/// Checks that each link has the finding of a rule.
#[track_caller]
fn each(rule: &str, server: &str, files: &[(&str, &str)], links: &[&str]) {
    let expected: Vec<_> = links.iter().map(|link| format!("{rule} {link}")).collect();
    assert_eq!(findings(server, files, links), expected);
}

/// The site of a comparison of static hosts: a file, a folder, and a name for both.
const SLASHES: &[(&str, &str)] = &[
    ("file.html", ""),
    ("folder/index.html", ""),
    ("both.html", ""),
    ("both/index.html", ""),
];

#[test]
fn pages_are_found_without_their_extension_where_the_server_adds_it() {
    for server in ["github-pages", "netlify", "nginx-try"] {
        fine(
            server,
            SLASHES,
            &[
                "/file",
                "/file.html",
                "/folder/",
                "/folder/index.html",
                "/both",
                "/both/",
            ],
        );
        each("redirected", server, SLASHES, &["/folder"]);
    }
    each("broken-file", "github-pages", SLASHES, &["/file/"]);
    each("broken-file", "nginx-try", SLASHES, &["/file/"]);
    fine("netlify", SLASHES, &["/file/"]);
    for server in ["static", "apache", "vercel"] {
        each("broken-file", server, SLASHES, &["/file", "/file/"]);
    }
}

#[test]
fn extensions_of_the_list_may_be_left_out_on_all_servers() {
    for server in ["static", "apache", "github-pages", "vercel"] {
        let tree = Tree::new(&[("site/from.html", "<a href=a>x</a>"), ("site/a.php", "")]);
        let flags = ["audit", "--server", server, "--try-ext", "php", "site"];
        assert_eq!(tree.run(&flags).out, "", "{server}");
    }
}

#[test]
fn netlify_redirects_by_lines() {
    let rules = "\
# a comment
/home / # another one
/blog/my-post.php  /new
/ext    https://www.example.org/x
/caf%C3%A9/a  /new 302
/gone  /missing
/proxy/*  https://api.example.org/:splat 200
/api/*  /.netlify/functions/:splat 200
";
    let files = [
        ("_redirects", rules),
        ("index.html", ""),
        ("new.html", "<p id=a>"),
    ];
    assert_eq!(
        findings(
            "netlify",
            &files,
            &[
                "/home",
                "/home/",
                "/blog/my-post.php#a",
                "/blog/my-post.php#b",
                "/ext",
                "/caf%C3%A9/a",
                "/gone",
                "/none",
                "/proxy/a/b",
                "/api/x",
                "/.netlify/images",
                "/new",
            ],
        ),
        [
            "redirected /home",
            "redirected /home/",
            "redirected /blog/my-post.php#a",
            "broken-fragment /blog/my-post.php#b",
            "redirected /ext",
            "redirected /caf%C3%A9/a",
            "broken-file /gone",
            "broken-file /none",
            "site/_redirects:6: broken-file /missing",
        ]
    );
}

#[test]
fn netlify_has_places_and_splats() {
    let rules = "\
/news/:year/:slug  /blog/:year-:slug.html
/old/*  /blog/:splat
/app/*  /index.html  200
/a/:x.html  /blog/:x 301
";
    let files = [
        ("_redirects", rules),
        ("index.html", ""),
        ("blog/2024-a.html", ""),
        ("blog/b/c.html", ""),
        ("blog/index.html", ""),
        ("app/real.html", ""),
    ];
    each(
        "redirected",
        "netlify",
        &files,
        &[
            "/news/2024/a",
            "/old/b/c.html",
            "/old",
            "/old/",
            "/a/2024-a.html",
        ],
    );
    each(
        "broken-file",
        "netlify",
        &files,
        &[
            "/news/2024/b",
            "/news/2024",
            "/news/2024/a/b",
            "/old/x",
            "/a/x",
        ],
    );
    fine("netlify", &files, &["/app", "/app/any/thing", "/app/real"]);
}

#[test]
fn of_several_rules_the_first_counts() {
    let rules = "/a /one\n/a /two\n/* /three\n/b /missing\n";
    let files = [
        ("_redirects", rules),
        ("one.html", "<p id=1>"),
        ("three.html", "<p id=3>"),
    ];
    assert_eq!(
        findings("netlify", &files, &["/a#1", "/b#3", "/c/d#3", "/a#2"]),
        [
            "redirected /a#1",
            "redirected /b#3",
            "redirected /c/d#3",
            "broken-fragment /a#2",
            "site/_redirects:2: redirected /two",
            "site/_redirects:4: redirected /missing",
        ]
    );
}

#[test]
fn a_file_wins_unless_the_rule_is_forced() {
    let rules =
        "/kept /other 301\n/taken /other 301!\n/taken.html /other 301!\n/hidden.html /x 404!\n";
    let files = [
        ("_redirects", rules),
        ("kept.html", ""),
        ("taken.html", ""),
        ("hidden.html", ""),
        ("other.html", ""),
    ];
    assert_eq!(
        findings(
            "netlify",
            &files,
            &["/kept", "/taken", "/taken.html", "/hidden.html"]
        ),
        [
            "redirected /taken",
            "redirected /taken.html",
            "broken-file /hidden.html",
            "site/_redirects:4: broken-file /x",
        ]
    );
}

#[test]
fn a_rule_may_ask_for_parameters_of_the_query() {
    let rules = "\
/store id=:id tag=:tag  /blog/:tag-:id
/store id=7  /blog/seven
/store id=:id  /blog/:id
/only page=2  /blog/1
";
    let files = [
        ("_redirects", rules),
        ("blog/1.html", ""),
        ("blog/seven.html", "<p id=seven>"),
        ("blog/x-1.html", ""),
    ];
    assert_eq!(
        findings(
            "netlify",
            &files,
            &[
                "/store?id=1",
                "/store?tag=x&amp;id=1",
                "/store?id=7#seven",
                "/store?id=2",
                "/store",
                "/store?page=1",
                "/only?page=2",
                "/only?page=3",
            ],
        ),
        [
            "redirected /store?id=1",
            "redirected /store?tag=x&id=1",
            "redirected /store?id=7#seven",
            "broken-file /store?id=2",
            "broken-file /store",
            "broken-file /store?page=1",
            "redirected /only?page=2",
            "broken-file /only?page=3",
        ]
    );
}

#[test]
fn rules_for_some_readers_count_where_nothing_else_does() {
    let rules =
        "/ /de/ 302 Language=de\n/only /de/ 302 Country=de\n/both /gone 302 Role=a\n/both /de/\n";
    let files = [
        ("_redirects", rules),
        ("index.html", ""),
        ("de/index.html", ""),
    ];
    assert_eq!(
        findings("netlify", &files, &["/", "/only", "/both"]),
        [
            "redirected /only",
            "redirected /both",
            "site/_redirects:3: broken-file /gone",
        ]
    );
}

#[test]
fn chains_are_followed_and_loops_found() {
    let rules = "/a /b\n/b /c\n/x /y\n/y /x\n/self /self/\n/grow/* /grow/a/:splat\n";
    let files = [("_redirects", rules), ("c.html", "<p id=c>")];
    assert_eq!(
        findings(
            "netlify",
            &files,
            &["/a#c", "/a#d", "/x", "/self", "/grow/"]
        ),
        [
            "redirected /a#c",
            "broken-fragment /a#d",
            "broken-file /x",
            "broken-file /self",
            "broken-file /grow/",
            "site/_redirects:1: redirected /b",
            "site/_redirects:3: broken-file /y",
            "site/_redirects:4: broken-file /x",
            "site/_redirects:5: broken-file /self/",
        ]
    );
}

#[test]
fn findings_say_through_which_rule() {
    let tree = Tree::new(&[
        (
            "site/from.html",
            "<a href=/a#x>x</a>\n<a href=/b>x</a>\n<a href=/x>x</a>\n",
        ),
        (
            "site/_redirects",
            "/a /b2\n/b2 /c\n/b /gone\n/x /y\n/y /x\n",
        ),
        ("site/c.html", "<p id=x>"),
    ]);
    let ran = tree.run(&["audit", "--allow", "orphan", "site"]);
    let lines: Vec<_> = ran.out.lines().collect();
    assert_eq!(
        lines[..3],
        [
            "site/from.html:1:9: warning[redirected]: /a#x (the target redirects elsewhere: \
             site/_redirects:1 leads to /b2, site/_redirects:2 leads to /c; did you mean /c#x?)",
            "site/from.html:2:9: error[broken-file]: /b (no such file: site/_redirects:3 leads to /gone)",
            "site/from.html:3:9: error[broken-file]: /x (no such file: site/_redirects:4 leads to /y, \
             site/_redirects:5 leads to /x, and so on without an end)",
        ],
        "{}",
        ran.out
    );
    assert!(
        ran.err.contains("site as netlify serves it: 5 rules\n"),
        "{}",
        ran.err
    );
}

#[test]
fn netlify_toml_has_rules_after_those_of_lines() {
    let toml = r#"
[build]
publish = "."

[[redirects]]
from = "/a"
to = "/two"

[[redirects]]
from = "/b/*"
to = "/one#:splat"
status = 302
force = true

[[redirects]]
from = "/q"
to = "/one"
query = {id = ":id", kind = "x"}

[[redirects]]
from = "/c"
to = "/missing"
conditions = {Language = ["en"]}

[[redirects]]
from = "/without-destination"
"#;
    let files = [
        ("_redirects", "/a /one\n"),
        ("netlify.toml", toml),
        ("one.html", "<p id=1>"),
        ("two.html", ""),
        ("b/real.html", ""),
    ];
    assert_eq!(
        findings(
            "auto",
            &files,
            &[
                "/a#1",
                "/b/real.html",
                "/q?kind=x&amp;id=1",
                "/q?id=1",
                "/c"
            ]
        ),
        [
            "redirected /a#1",
            "redirected /b/real.html",
            "redirected /q?kind=x&id=1",
            "broken-file /q?id=1",
            "broken-file /c",
            "site/netlify.toml:22: broken-file /missing",
        ]
    );
}

#[test]
fn apache_redirects_by_prefix_and_by_expression() {
    let rules = "\
# moved
Redirect 301 /old /new
Redirect permanent \"/with blank\" /new/a.html
Redirect /trailing/ https://example.com/new/
RedirectPermanent /p /new/a.html
RedirectTemp /t https://www.example.org/
Redirect gone /gone
RedirectMatch 302 ^/item/(\\d+)$ /new/$1.html
RedirectMatch (?i)\\.PHP$ /new/a.html
";
    let files = [
        (".htaccess", rules),
        ("new/a.html", ""),
        ("new/7.html", ""),
        ("old/a.html", ""),
        ("gone.html", ""),
        ("gone/a.html", ""),
    ];
    each(
        "redirected",
        "apache",
        &files,
        &[
            "/old/a.html",
            "/with%20blank",
            "/trailing/a.html",
            "/p",
            "/t/any",
            "/item/7",
            "/any/x.php",
        ],
    );
    each(
        "broken-file",
        "apache",
        &files,
        &[
            "/old/b.html",
            "/older",
            "/gone/a.html",
            "/item/8",
            "/item/x",
            "/t2",
        ],
    );
    fine("apache", &files, &["/gone.html"]);
}

#[test]
fn apache_directives_hold_for_what_is_below() {
    let files = [
        (
            ".htaccess",
            "DirectoryIndex home.html index.html\nErrorDocument 404 /err/none.html\nRedirect /a /top.html\n",
        ),
        ("top.html", "<p id=top2>"),
        (
            "sub/.htaccess",
            "Redirect /sub/x /top.html\nRedirect /sub/old /gone\nErrorDocument 404 /missing.html\n",
        ),
        ("sub/home.html", "<p id=h>"),
        ("sub/index.html", ""),
        ("sub/deep/index.html", ""),
        ("err/none.html", ""),
        (
            "views/.htaccess",
            "Options +MultiViews\nDirectoryIndex disabled\n",
        ),
        ("views/page.html", ""),
        ("views/index.html", ""),
    ];
    assert_eq!(
        findings(
            "apache",
            &files,
            &[
                "/sub/#h",
                "/sub/x#top2",
                "/sub/deep/",
                "/sub/old",
                "/views/page",
                "/views/",
                "/a",
                "/x",
            ],
        ),
        [
            "redirected /sub/x#top2",
            "broken-file /sub/old",
            "broken-index /views/",
            "redirected /a",
            "broken-file /x",
            "site/sub/.htaccess:2: broken-file /gone",
            "site/sub/.htaccess:3: broken-file /missing.html",
        ]
    );
}

#[test]
fn what_is_not_followed_is_counted() {
    let rules = "\
RewriteEngine On
RewriteRule ^a$ /b [L]
<IfModule mod_alias.c>
  Redirect /a \\
    /from.html
</IfModule>
<Files x>
  Redirect /b /from.html
</Files>
Header set X y
RedirectMatch (unclosed /from.html
RedirectMatch (?=look) /from.html
";
    let tree = Tree::new(&[
        ("site/from.html", "<a href=/a>x</a><a href=/b>x</a>"),
        ("site/.htaccess", rules),
    ]);
    let ran = tree.run(&["audit", "--json", "-v", "site"]);
    assert!(
        ran.out.contains("\"code\":\"server.unfollowed\""),
        "{}",
        ran.out
    );
    assert!(
        ran.out
            .contains("\"servers\":[\"site=apache\"],\"server_rules\":1,\"unfollowed_rules\":5"),
        "{}",
        ran.out
    );
    assert_eq!(
        ran.out.matches("\"rule\":\"broken-file\"").count(),
        1,
        "{}",
        ran.out
    );
    let ran = tree.run(&["audit", "site"]);
    assert!(
        ran.err
            .contains("site as apache serves it: 1 rule, 5 not followed\n"),
        "{}",
        ran.err
    );
    let explained = tree.run(&["audit", "--explain", "server.unfollowed"]);
    assert_eq!(explained.code, 0, "{}", explained.err);
}

#[test]
fn vercel_has_redirects_before_files_and_rewrites_after_them() {
    let json = r#"{
  "redirects": [
    {"source": "/old/:path*", "destination": "/new/:path*"},
    {"source": "/real.html", "destination": "/new/a.html", "permanent": false},
    {"source": "/post/:id(\\d+)", "destination": "/new/:id.html"},
    {"source": "/if", "has": [{"type": "header", "key": "x"}], "destination": "/new/a.html"},
    {"source": "/gone", "destination": "/missing"},
    {"source": "/bad/{x}", "destination": "/new/a.html"}
  ],
  "rewrites": [
    {"source": "/app/(.*)", "destination": "/new/a.html"},
    {"source": "/spa/((?!api/).*)", "destination": "/new/a.html"},
    {"source": "/ext/:path*", "destination": "https://www.example.org/:path*"}
  ]
}"#;
    let files = [
        ("vercel.json", json),
        ("new/a.html", ""),
        ("new/7.html", ""),
        ("real.html", ""),
        ("app/own.html", ""),
    ];
    fine("auto", &files[1..], &[]);
    let broken = "site/vercel.json:7: broken-file /missing".to_owned();
    let of = |links: &[&str]| {
        let mut found = findings("auto", &files, links);
        assert_eq!(found.pop(), Some(broken.clone()));
        found
    };
    assert_eq!(
        of(&["/old/a.html", "/real.html", "/post/7", "/if"]),
        [
            "redirected /old/a.html",
            "redirected /real.html",
            "redirected /post/7",
            "redirected /if",
        ]
    );
    assert_eq!(
        of(&[
            "/old/b.html",
            "/post/x",
            "/post/8",
            "/gone",
            "/bad/x",
            "/spa/api/x",
            "/new/a"
        ]),
        [
            "broken-file /old/b.html",
            "broken-file /post/x",
            "broken-file /post/8",
            "broken-file /gone",
            "broken-file /bad/x",
            "broken-file /spa/api/x",
            "broken-file /new/a",
        ]
    );
    let none: [&str; 0] = [];
    assert_eq!(
        of(&[
            "/app/own.html",
            "/app/x/y",
            "/spa/x",
            "/ext/a",
            "/_vercel/x"
        ]),
        none
    );
}

/// Whether a link to each path of `SLASHES` is fine, redirected or broken, as `.`, `r` and `b`.
fn slashes(json: &str) -> String {
    let paths = [
        "/file",
        "/file/",
        "/file.html",
        "/folder",
        "/folder/",
        "/folder/index.html",
        "/both",
        "/both/",
        "/both.html",
        "/both/index.html",
    ];
    let outcome = |path: &&str| {
        let mut files = SLASHES.to_vec();
        files.push(("vercel.json", json));
        match findings("vercel", &files, &[*path])
            .first()
            .map(String::as_str)
        {
            None => '.',
            Some(finding) if finding.starts_with("redirected ") => 'r',
            Some(_) => 'b',
        }
    };
    paths.iter().map(outcome).collect()
}

#[test]
fn vercel_adds_and_removes_slashes_and_extensions() {
    for (json, expected) in [
        ("{}", "bb........"),
        (r#"{"trailingSlash": false}"#, "bb..r..r.."),
        (r#"{"trailingSlash": true}"#, "bb.r..r..."),
        (r#"{"cleanUrls": true}"#, "..r..r..rr"),
        (
            r#"{"cleanUrls": true, "trailingSlash": false}"#,
            ".rr.rr.rrr",
        ),
        (
            r#"{"cleanUrls": true, "trailingSlash": true}"#,
            "r.rr.rr.rr",
        ),
    ] {
        assert_eq!(slashes(json), expected, "{json}");
    }
}

#[test]
fn github_pages_has_the_host_of_its_cname() {
    let files = [("CNAME", "docs.example.org\n"), ("a.html", "")];
    let tree = Tree::new(&[(
        "site/from.html",
        "<a href=https://docs.example.org/a>x</a>\n<a href=http://docs.example.org/b>x</a>\n<a href=//example.org/c>x</a>",
    )]);
    for (name, text) in files {
        tree.write(format!("site/{name}"), text.as_bytes());
    }
    let ran = tree.run(&["audit", "site"]);
    assert_eq!(
        ran.out,
        "site/from.html:2:9: error[broken-file]: http://docs.example.org/b (no such file)\n"
    );
    assert!(
        ran.err.contains("1 ok, 1 broken, 1 external"),
        "{}",
        ran.err
    );
    assert!(
        ran.err
            .contains("site as github-pages serves it: 0 rules\n"),
        "{}",
        ran.err
    );
    // A mount that has a URI keeps it, and other servers do not read the file.
    for flags in [
        ["--root", "site=https://example.com/"],
        ["--server", "static"],
    ] {
        let ran = tree.run(&["audit", flags[0], flags[1], "site"]);
        assert!(
            ran.err.contains("0 ok, 0 broken, 3 external"),
            "{}",
            ran.err
        );
    }
    for host in [
        "not a host",
        "localhost",
        "a/b.example",
        "..",
        "",
        "x\u{1b}.example",
    ] {
        tree.write("site/CNAME", host.as_bytes());
        let ran = tree.run(&["audit", "site"]);
        assert!(
            ran.err.contains("0 ok, 0 broken, 3 external"),
            "{host}: {}",
            ran.err
        );
    }
}

#[test]
fn pages_for_errors_are_no_orphans() {
    let orphans = |server: &str, files: &[(&str, &str)]| {
        let tree = Tree::new(&[
            ("site/index.html", ""),
            ("site/404.html", ""),
            ("site/err/a.html", ""),
        ]);
        for (name, text) in files {
            tree.write(format!("site/{name}"), text.as_bytes());
        }
        let ran = tree.run(&["audit", "--orphans", "--server", server, "site"]);
        let paths = ran.out.lines().filter_map(|line| line.split(": ").next());
        paths.map(str::to_owned).collect::<Vec<_>>()
    };
    let both =
        ["site/404.html:", "site/err/a.html:"].map(|path| path.trim_end_matches(':').to_owned());
    let shown = |found: Vec<String>| {
        found
            .into_iter()
            .map(|path| path.trim_end_matches(':').to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(shown(orphans("static", &[])), both);
    assert_eq!(shown(orphans("github-pages", &[])), both[1..]);
    assert_eq!(
        shown(orphans(
            "netlify",
            &[("_redirects", "/x/* /err/a.html 404\n")]
        )),
        [""; 0]
    );
    assert_eq!(
        shown(orphans(
            "apache",
            &[(".htaccess", "ErrorDocument 404 /err/a.html\n")]
        )),
        [""; 0]
    );
}

#[test]
fn files_tell_the_server_and_the_summary_says_so() {
    for (file, server) in [
        ("_redirects", "netlify"),
        ("netlify.toml", "netlify"),
        ("vercel.json", "vercel"),
        (".htaccess", "apache"),
        (".nojekyll", "github-pages"),
    ] {
        let tree = Tree::new(&[("site/index.html", "")]);
        tree.write(format!("site/{file}"), b"{}");
        let ran = tree.run(&["audit", "--json", "site"]);
        assert!(
            ran.out
                .contains(&format!("\"servers\":[\"site={server}\"]")),
            "{}",
            ran.out
        );
        let ran = tree.run(&["audit", "--json", "--server", "static", "site"]);
        assert!(!ran.out.contains("\"servers\""), "{}", ran.out);
        // The same from a configuration file that is found.
        tree.write("uriscan.toml", b"server = \"nginx-try\"\n");
        let ran = tree.run(&["audit", "--json", "site"]);
        assert!(
            ran.out.contains("\"servers\":[\"site=nginx-try\"]"),
            "{}",
            ran.out
        );
    }
    let tree = Tree::new(&[("site/index.html", "")]);
    let ran = tree.run(&["audit", "--server", "iis", "site"]);
    assert!(
        ran.code == 2 && ran.err.contains("nginx-try"),
        "{}",
        ran.err
    );
}

#[cfg(unix)]
#[test]
fn redirect_files_are_read_with_care() {
    use std::os::unix::fs::symlink;
    let links = page(&["/a", "/z"]);
    let tree = Tree::new(&[("site/from.html", &links), ("outside", "/a /from.html\n")]);
    let site = tree.path().join("site");
    // A link out of the root is not followed, unless all are.
    symlink(tree.path().join("outside"), site.join("_redirects")).unwrap();
    let flags = ["audit", "--server", "netlify", "site"];
    let ran = tree.run(&flags);
    assert_eq!(ran.out.matches("broken-file").count(), 2, "{}", ran.out);
    let ran = tree.run(&["audit", "-L", "--server", "netlify", "site"]);
    assert_eq!(ran.out.matches("broken-file").count(), 1, "{}", ran.out);
    // A pipe is not waited for, nor is a directory read.
    std::fs::remove_file(site.join("_redirects")).unwrap();
    nix::unistd::mkfifo(&site.join("_redirects"), nix::sys::stat::Mode::S_IRWXU).unwrap();
    let ran = tree.run(&flags);
    assert_eq!(ran.out.matches("broken-file").count(), 2, "{}", ran.out);
    std::fs::remove_file(site.join("_redirects")).unwrap();
    std::fs::create_dir(site.join("_redirects")).unwrap();
    assert_eq!(tree.run(&flags).out.matches("broken-file").count(), 2);
    std::fs::remove_dir(site.join("_redirects")).unwrap();
    // What is behind the limit is not read, and that is told.
    let mut long = b"/a /from.html\n".to_vec();
    long.extend(std::iter::repeat_n(b"# comment\n", 110_000).flatten());
    long.extend(b"/z /from.html\n");
    tree.write("site/_redirects", &long);
    let ran = tree.run(&["audit", "--json", "--server", "netlify", "site"]);
    assert_eq!(
        ran.out.matches("\"rule\":\"broken-file\"").count(),
        1,
        "{}",
        ran.out
    );
    assert!(
        ran.out.contains("\"code\":\"server.too-long\""),
        "{}",
        ran.out
    );
}

#[test]
fn rules_of_any_bytes_do_no_harm() {
    let nested = format!("{{\"redirects\":{}", "[".repeat(100_000));
    let toml = format!("redirects = {}", "[".repeat(50_000));
    let splats = format!("/* /{}\n", ":splat".repeat(100_000));
    let deep = format!("{} /x\n", "/:a".repeat(100_000));
    let groups = format!("RedirectMatch {} /x\n", "(".repeat(100_000));
    let classes = "RedirectMatch (\\w{1000}){1000} /x\n".repeat(100);
    let odd: [(&str, &str, &[u8]); 9] = [
        ("netlify", "_redirects", b"\x00\xff\x1b[31m /x\n/\xff \x1b\n/a\xff /b\x1b[31m\n= = =\n/a b=c\n"),
        ("netlify", "_redirects", splats.as_bytes()),
        ("netlify", "_redirects", deep.as_bytes()),
        ("netlify", "netlify.toml", toml.as_bytes()),
        ("netlify", "netlify.toml", b"redirects = [1, {from = 2}, {from = '/a', to = 3}]"),
        ("vercel", "vercel.json", nested.as_bytes()),
        ("vercel", "vercel.json", br#"{"redirects":[1,{"source":"/a(","destination":"/x"},{"source":":","destination":"/"}]}"#),
        ("apache", ".htaccess", groups.as_bytes()),
        ("apache", ".htaccess", classes.as_bytes()),
    ];
    for (server, name, text) in odd {
        let tree = Tree::new(&[(
            "site/from.html",
            &page(&["/a", "/z/y", "/%FF?b=c&amp;&amp;==%"]),
        )]);
        tree.write(format!("site/{name}"), text);
        let ran = tree.run(&["audit", "--no-messages", "--server", server, "site"]);
        assert_eq!(ran.code, 1, "{name}: {}", ran.err);
        assert!(
            !ran.out.contains('\x1b') && !ran.err.contains('\x1b'),
            "{name}: {}",
            ran.out
        );
        let one = tree.run(&["audit", "--json", "-j", "1", "--server", server, "site"]);
        let four = tree.run(&["audit", "--json", "-j", "4", "--server", server, "site"]);
        assert_eq!(one.out, four.out, "{name}");
    }
}

/// Adds a rule that leads from a path to another, in the words of a server.
fn rule(server: &str, from: &str, to: &str, out: &mut String) {
    match server {
        "netlify" => out.push_str(&format!("{from} {to} 301\n")),
        "apache" => out.push_str(&format!("RedirectMatch 301 ^{from}$ {to}\n")),
        _ => {
            let separator = if out.is_empty() { "" } else { ",\n" };
            out.push_str(&format!(
                "{separator}{{\"source\":\"{from}\",\"destination\":\"{to}\"}}"
            ));
        }
    }
}

#[test]
fn planted_links_of_every_server_are_found_and_nothing_else() {
    for (seed, server) in ["netlify", "vercel", "apache", "github-pages", "nginx-try"]
        .iter()
        .enumerate()
    {
        let mut random = Random(seed as u64);
        let has_rules = seed < 3;
        let pretty = !matches!(*server, "vercel" | "apache");
        let tree = Tree::new(&[]);
        let (mut rules, mut links, mut expected) = (String::new(), Vec::new(), Vec::new());
        for number in 0..300 {
            tree.write(
                format!("site/d{}/p{number}.html", number % 7),
                b"<p id=here>",
            );
            let page = format!("/d{}/p{number}", number % 7);
            let (link, finding) = match random.below(if has_rules { 9 } else { 4 }) {
                0 => (format!("{page}.html#here"), ""),
                1 => (page.clone(), if pretty { "" } else { "broken-file" }),
                2 => (format!("{page}x"), "broken-file"),
                3 => (format!("{page}.html#gone"), "broken-fragment"),
                4 => {
                    rule(
                        server,
                        &format!("/moved{number}"),
                        &format!("{page}.html"),
                        &mut rules,
                    );
                    (format!("/moved{number}#here"), "redirected")
                }
                5 => {
                    rule(
                        server,
                        &format!("/lost{number}"),
                        &format!("/none{number}"),
                        &mut rules,
                    );
                    (format!("/lost{number}"), "broken-file")
                }
                6 => {
                    rule(
                        server,
                        &format!("/one{number}"),
                        &format!("/two{number}"),
                        &mut rules,
                    );
                    rule(
                        server,
                        &format!("/two{number}"),
                        &format!("{page}.html"),
                        &mut rules,
                    );
                    (format!("/one{number}#gone"), "broken-fragment")
                }
                7 => {
                    rule(
                        server,
                        &format!("/loop{number}"),
                        &format!("/pool{number}"),
                        &mut rules,
                    );
                    rule(
                        server,
                        &format!("/pool{number}"),
                        &format!("/loop{number}"),
                        &mut rules,
                    );
                    (format!("/pool{number}"), "broken-file")
                }
                _ => {
                    rule(
                        server,
                        &format!("/out{number}"),
                        "https://www.example.org/",
                        &mut rules,
                    );
                    (format!("/out{number}"), "redirected")
                }
            };
            if !finding.is_empty() {
                expected.push(format!("{finding} {link}"));
            }
            links.push(link);
        }
        let links: Vec<&str> = links.iter().map(String::as_str).collect();
        tree.write("site/from.html", page(&links).as_bytes());
        match *server {
            "netlify" => tree.write("site/_redirects", rules.as_bytes()),
            "apache" => tree.write("site/.htaccess", rules.as_bytes()),
            "vercel" => tree.write(
                "site/vercel.json",
                format!("{{\"redirects\":[{rules}]}}").as_bytes(),
            ),
            _ => tree.write("site/.nojekyll", b""),
        };
        let server = ["--server", server];
        let ran = tree.run(&["audit", "--json", server[0], server[1], "site"]);
        let mut found = Vec::new();
        for line in ran.out.lines() {
            let record: serde_json::Value = serde_json::from_str(line).unwrap();
            if record["type"] == "finding" && record["path"] == "site/from.html" {
                let text = |key: &str| record[key].as_str().unwrap().to_owned();
                found.push(format!("{} {}", text("rule"), text("reference")));
            }
        }
        assert_eq!(found, expected, "{server:?}");
        assert!(found.len() > 100, "{server:?}: {} are too few", found.len());
    }
}

#[test]
fn findings_about_rules_are_forgiven_and_ignored_like_others() {
    let tree = Tree::new(&[
        ("site/index.html", ""),
        ("site/_redirects", "/a /gone\n/b /lost\n"),
    ]);
    let ran = tree.run(&["audit", "--write-baseline", "known.txt", "site"]);
    assert_eq!(
        ran.out,
        "site/_redirects:1:4: error[broken-file]: /gone (no such file)\n\
         site/_redirects:2:4: error[broken-file]: /lost (no such file)\n"
    );
    let ran = tree.run(&["audit", "--baseline", "known.txt", "site"]);
    assert_eq!((ran.code, ran.out.as_str()), (0, ""), "{}", ran.err);
    assert!(
        ran.err.contains("2 findings forgiven, 0 entries are stale"),
        "{}",
        ran.err
    );
    assert_eq!(
        tree.run(&["audit", "--touching", "site/index.html", "site"])
            .out,
        ""
    );
    assert_eq!(
        tree.run(&["audit", "--allow", "broken-file", "site"]).out,
        ""
    );
    tree.write(
        "uriscan.toml",
        b"ignore = [{ target = '/gone', path = '_redirects', reason = 'x' }]\n",
    );
    let ran = tree.run(&["audit", "site"]);
    assert_eq!(
        ran.out,
        "site/_redirects:2:4: error[broken-file]: /lost (no such file)\n"
    );
}

#[test]
fn paths_of_rules_begin_at_the_host() {
    let tree = Tree::new(&[
        ("site/from.html", "<a href=old#a>x</a><a href=other>x</a>"),
        ("site/_redirects", "/docs/old /docs/new\n/other /docs/new\n"),
        ("site/new.html", "<p id=a>"),
    ]);
    let ran = tree.run(&["audit", "--root", "site=https://example.com/docs/"]);
    assert_eq!(
        ran.out,
        "site/from.html:1:9: warning[redirected]: old#a (the target redirects elsewhere: \
         site/_redirects:1 leads to /docs/new; did you mean new#a?)\n\
         site/from.html:1:28: error[broken-file]: other (no such file)\n"
    );
}

#[test]
fn the_fragment_of_a_redirect_takes_the_place_of_that_of_the_link() {
    let rules = "/a /new#here\n/b /new#gone\n";
    let files = [("_redirects", rules), ("new.html", "<p id=here>")];
    assert_eq!(
        findings("netlify", &files, &["/a#any", "/a"]),
        [
            "redirected /a#any",
            "redirected /a",
            "site/_redirects:2: broken-fragment /new#gone"
        ]
    );
}

#[test]
fn directives_are_read_where_no_link_leads() {
    let files = [
        (".htaccess", ""),
        ("alone/.htaccess", "ErrorDocument 404 /missing.html\n"),
        ("alone/page.html", ""),
    ];
    assert_eq!(
        findings("apache", &files, &[]),
        ["site/alone/.htaccess:1: broken-file /missing.html"]
    );
}

#[test]
fn many_expressions_are_followed() {
    let rules: String = (0..3_000)
        .map(|n| format!("RedirectMatch ^/(a|b)/x{n}/(.*)$ /new.html\n"))
        .collect();
    let files = [(".htaccess", rules.as_str()), ("new.html", "")];
    each("redirected", "apache", &files, &["/a/x0/y", "/b/x2999/"]);
    each("broken-file", "apache", &files, &["/c/x0/y", "/a/x3000/"]);
}

#[test]
fn a_long_destination_is_not_told_with_every_link() {
    let long = "x".repeat(10_000);
    let tree = Tree::new(&[
        ("site/from.html", &page(&["/a", "/a/b", "/a/c"])),
        ("site/_redirects", &format!("/a/* /{long} 301\n")),
    ]);
    let ran = tree.run(&["audit", "--group", "none", "--json", "site"]);
    assert_eq!(ran.code, 1, "{}", ran.err);
    let links = ran.out.lines().filter(|line| line.contains("from.html"));
    let links: Vec<_> = links.collect();
    assert_eq!(links.len(), 3);
    for link in links {
        assert!(link.contains("site/_redirects:1 leads to /xxx"), "{link}");
        assert!(link.len() < 2_000, "{}", link.len());
    }
}
