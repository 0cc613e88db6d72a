//! The rules of redirect files: `_redirects`, `netlify.toml`, `.htaccess` and `vercel.json`.

use super::servers::{each, findings, fine};
use crate::cli::Tree;

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
             site/_redirects:1 points to /b2, site/_redirects:2 points to /c; did you mean /c#x?)",
            "site/from.html:2:9: error[broken-file]: /b (no such file: site/_redirects:3 points to /gone)",
            "site/from.html:3:9: error[broken-file]: /x (no such file: site/_redirects:4 points to /y, \
             site/_redirects:5 points to /x, and so on in a loop)",
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
RedirectMatch ^/price/(\\d+)$ /new/\\$$1.html
";
    let files = [
        (".htaccess", rules),
        ("new/a.html", ""),
        ("new/7.html", ""),
        ("new/$7.html", ""),
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
            "/price/7",
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
fn apache_directives_apply_below_their_directory() {
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
fn unfollowed_rules_are_counted() {
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
