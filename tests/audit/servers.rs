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
pub(super) fn findings(server: &str, files: &[(&str, &str)], links: &[&str]) -> Vec<String> {
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
pub(super) fn fine(server: &str, files: &[(&str, &str)], links: &[&str]) {
    assert_eq!(findings(server, files, links), Vec::<String>::new());
}

/// Checks that each link has the finding of a rule.
#[track_caller]
pub(super) fn each(rule: &str, server: &str, files: &[(&str, &str)], links: &[&str]) {
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
    for server in [
        "github-pages",
        "gitlab-pages",
        "cloudflare-pages",
        "netlify",
        "nginx-try",
    ] {
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
    each("broken-file", "gitlab-pages", SLASHES, &["/file/"]);
    fine("cloudflare-pages", SLASHES, &["/file/"]);
    fine("netlify", SLASHES, &["/file/"]);
    for server in ["static", "apache", "vercel", "firebase"] {
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
        paths
            .map(|path| path.trim_end_matches(':').to_owned())
            .collect::<Vec<_>>()
    };
    for server in ["auto", "static", "github-pages"] {
        assert_eq!(orphans(server, &[]), ["site/err/a.html"]);
    }
    let rules = [("_redirects", "/x/* /err/a.html 404\n")];
    assert_eq!(orphans("netlify", &rules), [""; 0]);
    let rules = [(".htaccess", "ErrorDocument 404 /err/a.html\n")];
    assert_eq!(orphans("apache", &rules), [""; 0]);
}

#[test]
fn rules_of_firebase_are_followed() {
    const RULES: &str = r#"{"hosting": {"public": ".", "cleanUrls": true,
        "redirects": [{"source": "/old/:page", "destination": "/:page", "type": 302},
                      {"source": "/@(a|b)", "destination": "/file"},
                      {"regex": "^/was/(?P<page>[a-z]+)$", "destination": "/:page"},
                      {"regex": "^/r/(.+)$", "destination": "/:1"}],
        "rewrites": [{"source": "/app/**", "destination": "/file.html"},
                     {"source": "/api/**", "function": "api"},
                     {"source": "/sum", "run": {"serviceId": "sum"}},
                     {"source": "/to/**", "dynamicLinks": true}]}}"#;
    let files = [&[("firebase.json", RULES)], SLASHES].concat();
    let answered = [
        "/file",
        "/folder",
        "/app/any/page",
        "/api/x",
        "/sum",
        "/to/x",
    ];
    fine("firebase", &files, &answered);
    each(
        "redirected",
        "firebase",
        &files,
        &["/old/file", "/was/file", "/r/file", "/file.html"],
    );
    each("broken-file", "firebase", &files, &["/old/none", "/b"]);
}

#[test]
fn each_site_of_firebase_has_its_own_rules() {
    let rules = r#"{"hosting": [
        {"target": "a", "public": "a", "rewrites": [{"source": "**", "destination": "/index.html"}]},
        {"target": "b", "public": "./b/",
         "redirects": [{"source": "/old", "destination": "/none"}]}]}"#;
    let links = "<a href=/app>x</a>\n<a href=/old>x</a>";
    let files = [
        ("firebase.json", rules),
        ("a/index.html", links),
        ("b/index.html", links),
    ];
    let tree = Tree::new(&files);
    let ran = tree.run(&["audit", "--group", "none", "."]);
    let found: Vec<_> = ran
        .out
        .lines()
        .filter_map(|line| line.split(" (").next())
        .collect();
    let expected = [
        "b/index.html:1:9: error[broken-file]: /app",
        "b/index.html:2:9: error[broken-file]: /old",
        "firebase.json:4:59: error[broken-file]: /none",
    ];
    assert_eq!(found, expected, "{}{}", ran.out, ran.err);
}

#[test]
fn rules_of_azure_are_followed() {
    const RULES: &str = r#"{"routes": [
        {"route": "/old", "redirect": "/file", "statusCode": 301},
        {"route": "/older/*", "redirect": "/none"},
        {"route": "/moved*.{jpg,png}", "rewrite": "/file.html"},
        {"route": "/admin/*", "allowedRoles": ["admin"]}],
        "navigationFallback": {"rewrite": "/file.html", "exclude": ["/img/*.{png,gif}", "/css/*"]}}"#;
    let files = [&[("staticwebapp.config.json", RULES)], SLASHES].concat();
    let answered = ["/file", "/app/any", "/moved1.png", "/.auth/login"];
    fine("azure", &files, &answered);
    each("redirected", "azure", &files, &["/old", "/older/a"]);
    each("broken-file", "azure", &files, &["/img/a.png", "/css/x"]);
}

#[test]
fn pages_of_errors_of_azure_are_not_orphans() {
    let rules = r#"{"responseOverrides": {"404": {"rewrite": "/lost.html"},
        "401": {"redirect": "/login", "statusCode": 302}, "403": {"statusCode": 404}}}"#;
    let tree = Tree::new(&[
        ("index.html", ""),
        ("lost.html", ""),
        ("staticwebapp.config.json", rules),
    ]);
    tree.run(&["audit", "--orphans", "--quiet", "."]).is(0, "");
    let ran = tree.run(&["audit", "--orphans", "--fail-on=warning", "."]);
    assert_eq!(ran.code, 0, "{}", ran.out);
}

#[test]
fn files_tell_the_server_and_the_summary_says_so() {
    for (file, server) in [
        ("_redirects", "netlify"),
        ("netlify.toml", "netlify"),
        ("vercel.json", "vercel"),
        ("firebase.json", "firebase"),
        ("staticwebapp.config.json", "azure"),
        ("wrangler.toml", "cloudflare-pages"),
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
         site/_redirects:1 points to /docs/new; did you mean new#a?)\n\
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
fn long_destination_is_not_repeated_with_every_link() {
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
        assert!(link.contains("site/_redirects:1 points to /xxx"), "{link}");
        assert!(link.len() < 2_000, "{}", link.len());
    }
}
