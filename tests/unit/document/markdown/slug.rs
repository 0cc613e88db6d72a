use super::*;

fn anchors(slug: Slug, headings: &[&str]) -> Vec<String> {
    let mut slugs = Slugs::new(Dialect::of(slug));
    let anchors = headings
        .iter()
        .map(|heading| slugs.next(heading, heading).0);
    anchors.collect()
}

#[test]
fn slugs_are_those_of_github() {
    let rows = [
        ("Hello World", "hello-world"),
        ("Hello  World!", "hello--world"),
        ("Hello World", "hello-world-1"),
        ("Hello World", "hello-world-2"),
        ("hello-world-1", "hello-world-1-1"),
        ("`code` & more", "code--more"),
        ("Über 1.2_3", "über-12_3"),
        ("日本語", "日本語"),
        ("C++", "c"),
        ("C#", "c-1"),
        ("---", "---"),
    ];
    let (headings, expected): (Vec<_>, Vec<_>) = rows.into_iter().unzip();
    assert_eq!(anchors(Slug::GitHub, &headings), expected);
    assert_eq!(anchors(Slug::Docusaurus, &headings), expected);
}

#[test]
fn each_dialect_has_its_own_slugs() {
    let headings = [
        "1. Über  uns: a_b - C++ & v1.2",
        "Setup",
        "Setup",
        "Setup-1",
        "2024",
        "!",
    ];
    for (slug, expected) in [
        (
            Slug::GitLab,
            [
                "1-über-uns-a_b-c-v12",
                "setup",
                "setup-1",
                "setup-1",
                "anchor-2024",
                "",
            ],
        ),
        (
            Slug::MdBook,
            [
                "1-über--uns-a_b---c--v12",
                "setup",
                "setup-1",
                "setup-1-1",
                "2024",
                "",
            ],
        ),
        (
            Slug::MkDocs,
            [
                "1-uber-uns-a_b-c-v12",
                "setup",
                "setup_1",
                "setup-1",
                "2024",
                "_1",
            ],
        ),
        (
            Slug::Docusaurus,
            [
                "1-über--uns-a_b---c--v12",
                "setup",
                "setup-1",
                "setup-1-1",
                "2024",
                "",
            ],
        ),
        (
            Slug::Hugo,
            [
                "1-über--uns-a_b---c--v12",
                "setup",
                "setup-1",
                "setup-1-1",
                "2024",
                "heading",
            ],
        ),
        (
            Slug::Kramdown,
            [
                "ber--uns-ab---c--v12",
                "setup",
                "setup-1",
                "setup-1",
                "section",
                "section-1",
            ],
        ),
        (
            Slug::Pandoc,
            [
                "über-uns-a_b---c-v1.2",
                "setup",
                "setup-1",
                "setup-1-1",
                "section",
                "section-1",
            ],
        ),
    ] {
        assert_eq!(anchors(slug, &headings), expected, "{slug:?}");
    }
}

#[test]
fn slugs_of_javascript_treat_underscores_and_accents_as_their_libraries_do() {
    let headings = [
        "max_file_size",
        "“Set\tup”",
        "Über हिन्दी ½",
        "（注）",
        "TV™ Straße",
    ];
    let vitepress = [
        "max-file-size",
        "setup",
        "uber-हिन्दी-1⁄2",
        "注",
        "tvtm-straße",
    ];
    assert_eq!(anchors(Slug::VitePress, &headings), vitepress);
    let hexo = [
        "max-file-size",
        "“Setup”",
        "Uber-हिन्दी-½",
        "（注）",
        "TV™-Strase",
    ];
    assert_eq!(anchors(Slug::Hexo, &headings), hexo);
}

#[test]
fn marks_and_numbers_beyond_digits_are_kept_as_each_library_keeps_them() {
    let headings = ["① CO₂", "हिन्दी", "½ ２"];
    for (slug, expected) in [
        (Slug::GitHub, ["-co", "हिन्दी", "-２"]),
        (Slug::Docusaurus, ["-co", "हिन्दी", "-２"]),
        (Slug::Hugo, ["-co", "हनद", "-２"]),
        (Slug::Myst, ["①-co₂", "हनद", "½-２"]),
        (Slug::MdBook, ["①-co₂", "हिनदी", "½-２"]),
    ] {
        assert_eq!(anchors(slug, &headings), expected, "{slug:?}");
    }
}

#[test]
fn numbers_after_an_underscore_are_raised() {
    let headings = ["a", "a", "a_1", "a", "a_007", "a_7", "a_7", "", ""];
    let expected = ["a", "a_1", "a_2", "a_3", "a_007", "a_7", "a_8", "_1", "_2"];
    assert_eq!(anchors(Slug::MkDocs, &headings), expected);
    let huge = "a_99999999999999999999";
    let expected = [huge.to_owned(), format!("{huge}_1")];
    assert_eq!(anchors(Slug::MkDocs, &[huge, huge]), expected);
}

#[test]
fn equal_headings_are_numbered_in_linear_time() {
    // A quadratic search would take hours.
    let mut slugs = Slugs::new(Dialect::of(Slug::MkDocs));
    for _ in 0..200_000 {
        slugs.next("a", "");
    }
    for number in 1..100_000 {
        slugs.next(&format!("a_{number}"), "");
    }
    assert_eq!(slugs.next("a", "").0, "a_299999");
}

#[test]
fn a_file_in_the_root_marks_the_dialect() {
    for (files, slug) in [
        (&["book.toml"][..], Some(Slug::MdBook)),
        (&["mkdocs.yml"], Some(Slug::MkDocs)),
        (&["docusaurus.config.ts"], Some(Slug::Docusaurus)),
        (&["hugo.toml"], Some(Slug::Hugo)),
        (&["_config.yml"], Some(Slug::Jekyll)),
        (&["_config.yml", "mkdocs.yml"], Some(Slug::MkDocs)),
        (&["README.md"], None),
    ] {
        let names: Vec<_> = files.iter().map(|&name| name.to_owned()).collect();
        assert_eq!(Slug::of_files(&names), slug, "{files:?}");
    }
    assert_eq!(Slug::named("mkdocs"), Some(Slug::MkDocs));
    assert_eq!(Slug::named("nothing"), None);
}
