//! Feeds, sitemaps, drawings and manuals in XML.

use super::Input;
use super::random::Random;

/// Repeats what `unit` writes between a head and a tail; `unit` returns the number of links.
fn document(
    seed: u64,
    size: usize,
    [head, tail]: [&str; 2],
    mut unit: impl FnMut(&mut Random, usize, &mut String) -> usize,
) -> Input {
    let mut random = Random::new(seed);
    let mut text = head.to_owned();
    let mut links = 0;
    let mut number = 0;
    while text.len() < size {
        links += unit(&mut random, number, &mut text);
        number += 1;
    }
    text += tail;
    Input {
        documents: vec![text.into_bytes()],
        links,
    }
}

/// A podcast in RSS: items with an enclosure, an image and an escaped paragraph.
pub(super) fn feed(seed: u64, size: usize) -> Input {
    let head = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<rss version=\"2.0\" \
        xmlns:itunes=\"http://www.itunes.com/dtds/podcast-1.0.dtd\">\n<channel>\n<title>News</title>\n";
    document(
        seed,
        size,
        [head, "</channel>\n</rss>\n"],
        |random, number, text| {
            let title = random.words(6);
            let about = random.words(40);
            *text += &format!(
                "  <item>\n    <title>{title}</title>\n    <link>https://example.com/episodes/{number}/</link>\n    \
             <guid isPermaLink=\"false\">episode-{number}</guid>\n    \
             <pubDate>Mon, 01 Jan 2024 00:00:00 +0000</pubDate>\n    \
             <itunes:author>Jo Doe</itunes:author>\n    <itunes:subtitle>{title}</itunes:subtitle>\n    \
             <itunes:image href=\"https://example.com/images/{number}.jpg\"/>\n    \
             <enclosure url=\"https://example.net/audio/{number}.mp3\" length=\"{number}000\" type=\"audio/mpeg\"/>\n    \
             <description>&lt;p&gt;{about} &lt;a href=\"notes\"&gt;Notes&lt;/a&gt;&lt;/p&gt;</description>\n    \
             <itunes:duration>2400</itunes:duration>\n    <itunes:explicit>no</itunes:explicit>\n  </item>\n"
            );
            4
        },
    )
}

/// A sitemap, four elements a page.
pub(super) fn sitemap(seed: u64, size: usize) -> Input {
    let head = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
        <urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n";
    document(seed, size, [head, "</urlset>\n"], |random, number, text| {
        let name = random.words(5).replace(' ', "-");
        *text += &format!(
            "  <url>\n    <loc>https://www.example.com/articles/{number}/{name}</loc>\n    \
             <lastmod>2024-01-01T00:00:00+00:00</lastmod>\n    <changefreq>weekly</changefreq>\n    \
             <priority>0.5</priority>\n  </url>\n"
        );
        1
    })
}

/// A drawing: paths and shapes with presentation attributes, and uses of symbols.
pub(super) fn drawing(seed: u64, size: usize) -> Input {
    let head = "<?xml version=\"1.0\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" \
        xmlns:xlink=\"http://www.w3.org/1999/xlink\" viewBox=\"0 0 100 100\">\n";
    document(seed, size, [head, "</svg>\n"], |random, number, text| {
        let mut points = String::from("M0 0");
        for _ in 0..8 {
            points += &format!(
                " L{}.{} {}",
                random.below(100),
                random.below(10),
                random.below(100)
            );
        }
        *text += &format!(
            "<g id=\"layer{number}\" transform=\"translate({number},1)\">\n\
             <path d=\"{points}\" stroke-width=\"1.5\" style=\"stroke:#000\" fill=\"none\"/>\n\
             <rect x=\"{number}\" y=\"2\" width=\"10\" height=\"20\" fill=\"url(#gradient)\"/>\n\
             <circle cx=\"5\" cy=\"{number}\" r=\"4\" class=\"dot\"/>\n\
             <text x=\"1\" y=\"2\">Layer {number}</text>\n<use xlink:href=\"#symbol\" x=\"3\" y=\"4\"/>\n</g>\n"
        );
        2
    })
}

/// A manual in DocBook: paragraphs with inline elements.
pub(super) fn manual(seed: u64, size: usize) -> Input {
    let head = "<?xml version=\"1.0\"?>\n<book xmlns=\"http://docbook.org/ns/docbook\" \
        xmlns:xlink=\"http://www.w3.org/1999/xlink\" version=\"5.0\">\n";
    document(seed, size, [head, "</book>\n"], |random, number, text| {
        let [title, first, second, third] = [4, 30, 20, 25].map(|count| random.words(count));
        *text += &format!(
            "<section xml:id=\"section-{number}\">\n<title>{title}</title>\n<para>{first} \
             <emphasis role=\"bold\">{title}</emphasis> {second} <literal>f({number})</literal> &amp; \
             <link xlink:href=\"chapter{number}.html\">there</link>.</para>\n\
             <itemizedlist><listitem><para>{third}</para></listitem>\n\
             <listitem><para>{first}</para></listitem></itemizedlist>\n</section>\n"
        );
        1
    })
}
