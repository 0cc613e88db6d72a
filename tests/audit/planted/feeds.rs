//! A site with a sitemap, a feed and a sprite: pages that are missing here or there.

use super::{PlantedTree, planted};

const ARGUMENTS: [&str; 4] = [
    "--root",
    "site=https://example.com/docs/",
    "--warn",
    "sitemap-missing",
];

/// Appends a line of XML with one reference in the given state, and plants the defect that it has.
fn xml(
    tree: &mut PlantedTree,
    file: &str,
    text: &str,
    reference: &str,
    state: &'static str,
    rule: Option<&str>,
) {
    let line = tree.line(file, &text.replace("URI", reference));
    tree.count(state);
    if let Some(rule) = rule {
        tree.plant(file, line, rule, reference);
    }
}

fn site() -> PlantedTree {
    let mut tree = PlantedTree::default();
    let (sitemap, feed, sprite) = ("site/sitemap.xml", "site/feed.rss", "site/sprite.svg");
    tree.line(sitemap, "<?xml version='1.0'?>");
    tree.line(
        sitemap,
        "<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>",
    );
    tree.line(feed, "<rss version='2.0'><channel>");
    tree.line(sprite, "<svg xmlns='http://www.w3.org/2000/svg'>");
    for number in 0..planted() {
        let page = format!("https://example.com/docs/pages/{number}.html");
        let loc = "<url><loc> URI </loc></url>";
        xml(&mut tree, sitemap, loc, &page, "ok", None);
        let missing = page.replace("pages", "missing");
        xml(
            &mut tree,
            sitemap,
            loc,
            &missing,
            "broken",
            Some("broken-file"),
        );
        let elsewhere = format!("https://www.example.org/{number}");
        xml(&mut tree, sitemap, loc, &elsewhere, "external", None);

        let enclosure = "<item><enclosure url='URI' type='text/html' length='1'/></item>";
        xml(&mut tree, feed, enclosure, &page, "ok", None);
        let relative = format!("pages/{number}.html");
        let rule = Some("feed-relative");
        match number % 3 {
            0 => xml(&mut tree, feed, enclosure, &relative, "ok", rule),
            1 => {
                let text = "<item><description>&lt;a href='URI'></description></item>";
                xml(&mut tree, feed, text, &relative, "ok", rule);
            }
            _ => xml(
                &mut tree,
                feed,
                "<item><link>URI</link></item>",
                &relative,
                "ok",
                rule,
            ),
        }
        let gone = format!("gone/{number}.html");
        xml(
            &mut tree,
            feed,
            enclosure,
            &gone,
            "broken",
            Some("broken-file"),
        );

        tree.line(
            sprite,
            &format!("<symbol id='i{number}'><path d='M0 0'/></symbol>"),
        );
        let file = format!("site/pages/{number}.html");
        tree.link(&file, &format!("../sprite.svg#i{number}"), "ok", None);
        tree.link(&file, "../sprite.svg#svgView(viewBox(0,0,9,9))", "ok", None);
        let none = format!("/docs/sprite.svg#none{number}");
        tree.link(&file, &none, "broken", Some("broken-fragment"));

        let unlisted = format!("site/unlisted/{number}.html");
        tree.line(&unlisted, "<p>x");
        tree.plant(&unlisted, 0, "sitemap-missing", "");
        let moved = format!("site/moved/{number}.html");
        let refresh =
            format!("<meta http-equiv=refresh content='0; url=/docs/pages/{number}.html'>");
        tree.line(&moved, &refresh);
        tree.count("ok");
    }
    tree.line(sitemap, "</urlset>");
    tree.line(feed, "</channel></rss>");
    tree.line(sprite, "</svg>");
    tree
}

#[test]
fn planted_defects_of_sitemaps_feeds_and_sprites_are_found_and_none_is_invented() {
    let tree = site();
    let rules = tree.rules();
    for rule in [
        "broken-file",
        "broken-fragment",
        "feed-relative",
        "sitemap-missing",
    ] {
        assert!(rules[rule] >= planted() as u64, "{rule}");
    }
    tree.check(&ARGUMENTS);
}
