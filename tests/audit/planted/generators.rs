//! Sources of sites with defects in the idioms of each generator.
//!
//! Facts about a generator are those of its documentation and of sites that it built.

use super::{PlantedTree, planted};
use crate::audit::generated::Random;

/// Folders `part0`, `part1` ... of a site, pages of each, and headings of each page.
const PARTS: usize = 10;
const PAGES: usize = 5;
const HEADINGS: usize = 3;
/// The number of a page and of a heading that no page has.
const MISSING: usize = 77;

/// A generator. In texts and paths `{e}` and `{q}` are the numbers of a folder and of a page in it, `{k}` that
/// of a heading.
struct Generator {
    /// As the summary names it; a plain repository has no name.
    name: &'static str,
    /// Files of the site, which have no link that counts.
    files: &'static [(&'static str, &'static str)],
    page: &'static str,
    /// What stands before the headings of a page.
    front: &'static str,
    heading: &'static str,
    /// Files that are no pages: one for each folder and page.
    assets: &'static [&'static str],
    /// A file that names all pages, and the line for one.
    list: Option<(&'static str, &'static str)>,
    idioms: &'static [Idiom],
}

/// A way of writing a reference.
struct Idiom {
    before: &'static str,
    reference: &'static str,
    after: &'static str,
    /// The rule of the finding if the page is missing.
    missing: &'static str,
    /// The same finding where the page exists: people write this, and it leads nowhere.
    wrong: bool,
}

const fn right(before: &'static str, reference: &'static str, after: &'static str) -> Idiom {
    Idiom {
        before,
        reference,
        after,
        missing: "broken-file",
        wrong: false,
    }
}

const fn wrong(
    before: &'static str,
    reference: &'static str,
    after: &'static str,
    rule: &'static str,
) -> Idiom {
    Idiom {
        before,
        reference,
        after,
        missing: rule,
        wrong: true,
    }
}

/// A link of Markdown.
const fn link(reference: &'static str) -> Idiom {
    right("[x](", reference, ")")
}

/// A link of Markdown that leads nowhere.
const fn no_link(reference: &'static str) -> Idiom {
    wrong("[x](", reference, ")", "broken-file")
}

/// An image of Markdown.
const fn image(reference: &'static str) -> Idiom {
    right("![x](", reference, ")")
}

/// An image of Markdown that is nowhere.
const fn no_image(reference: &'static str) -> Idiom {
    wrong("![x](", reference, ")", "broken-file")
}

/// A link of HTML.
const fn anchor(reference: &'static str) -> Idiom {
    right("<a href=\"", reference, "\">x</a>")
}

/// A link of HTML that leads nowhere.
const fn no_anchor(reference: &'static str) -> Idiom {
    wrong("<a href=\"", reference, "\">x</a>", "broken-file")
}

const GENERATORS: &[Generator] = &[
    Generator {
        name: "docusaurus",
        files: &[(
            "site/docusaurus.config.js",
            "module.exports = {title: 'x', url: 'https://example.com', baseUrl: '/base/',\n\
             presets: [['classic', {docs: {}}]]};\n",
        )],
        page: "site/docs/part{e}/page{q}.md",
        front: "# Page\n",
        heading: "## Part {k}\n",
        assets: &["site/static/img/a{q}.png", "site/docs/part{e}/b{q}.png"],
        list: None,
        idioms: &[
            link("../part{e}/page{q}.md#part-{k}"),
            link("/part{e}/page{q}.md"),
            link("@site/docs/part{e}/page{q}.md#part-{k}"),
            link("/docs/part{e}/page{q}#part-{k}"),
            link("../part{e}/page{q}"),
            link("#part-{k}"),
            right("<Link to=\"", "/docs/part{e}/page{q}", "\">x</Link>"),
            no_link("part{e}/page{q}"),
            no_link("../part{e}/page{q}.html"),
            no_link("./part{e}/page{q}.md"),
            image("/img/a{q}.png"),
            link("pathname:///img/a{q}.png"),
            image("@site/static/img/a{q}.png"),
        ],
    },
    Generator {
        name: "vitepress",
        files: &[(
            "site/.vitepress/config.mjs",
            "export default {title: 'x', base: '/base/'}\n",
        )],
        page: "site/part{e}/page{q}.md",
        front: "# Page\n",
        heading: "## Part {k}\n",
        assets: &["site/public/img/a{q}.png", "site/part{e}/b{q}.png"],
        list: None,
        idioms: &[
            link("../part{e}/page{q}"),
            link("../part{e}/page{q}.md#part-{k}"),
            link("../part{e}/page{q}.html#part-{k}"),
            link("/part{e}/page{q}"),
            link("/part{e}/page{q}.md"),
            link("#part-{k}"),
            anchor("../part{e}/page{q}.html"),
            no_link("/base/part{e}/page{q}"),
            no_link("./part{e}/page{q}"),
            no_anchor("../part{e}/page{q}.md"),
            image("/img/a{q}.png"),
            image("../part{e}/b{q}.png"),
            right("<img src=\"", "../part{e}/b{q}.png", "\">"),
        ],
    },
    Generator {
        name: "starlight",
        files: &[(
            "site/astro.config.mjs",
            "import {defineConfig} from 'astro/config';\nimport starlight from '@astrojs/starlight';\n\
             export default defineConfig({site: 'https://example.com', base: '/base',\n\
             integrations: [starlight({title: 'x'})]});\n",
        )],
        page: "site/src/content/docs/part{e}/page{q}.md",
        front: "---\ntitle: Page\n---\n",
        heading: "## Part {k}\n",
        assets: &["site/public/img/a{q}.png", "site/src/assets/b{q}.png"],
        list: None,
        idioms: &[
            link("../../part{e}/page{q}/#part-{k}"),
            link("/base/part{e}/page{q}/#part-{k}"),
            link("/base/part{e}/page{q}/"),
            link("#part-{k}"),
            anchor("../../part{e}/page{q}/"),
            no_link("../part{e}/page{q}.md"),
            no_link("../../part{e}/page{q}.md"),
            no_link("../part{e}/page{q}/"),
            wrong("[x](", "/part{e}/page{q}/", ")", "outside-root"),
            image("/base/img/a{q}.png"),
            image("../../../assets/b{q}.png"),
        ],
    },
    Generator {
        name: "mkdocs",
        files: &[(
            "site/mkdocs.yml",
            "site_name: x\nsite_url: https://example.com/base/\n",
        )],
        page: "site/docs/part{e}/page{q}.md",
        front: "# Page\n",
        heading: "## Part {k}\n",
        assets: &["site/docs/img/a{q}.png"],
        list: None,
        idioms: &[
            link("../part{e}/page{q}.md#part-{k}"),
            link("../part{e}/page{q}.md"),
            link("../../part{e}/page{q}/"),
            link("/base/part{e}/page{q}/#part-{k}"),
            link("#part-{k}"),
            anchor("../../part{e}/page{q}/#part-{k}"),
            no_link("../../part{e}/page{q}.md"),
            no_anchor("../part{e}/page{q}.md"),
            no_anchor("../part{e}/page{q}/"),
            image("../img/a{q}.png"),
            right("<img src=\"", "../../img/a{q}.png", "\">"),
            no_image("img/a{q}.png"),
        ],
    },
    Generator {
        name: "mdbook",
        files: &[(
            "site/book.toml",
            "[book]\ntitle = 'x'\n\n[output.html]\nsite-url = '/base/'\n",
        )],
        page: "site/src/part{e}/page{q}.md",
        front: "# Page\n",
        heading: "## Part {k}\n",
        assets: &["site/src/img/a{q}.png"],
        list: Some(("site/src/SUMMARY.md", "- [x](part{e}/page{q}.md)\n")),
        idioms: &[
            link("../part{e}/page{q}.md#part-{k}"),
            link("../part{e}/page{q}.html#part-{k}"),
            link("/base/part{e}/page{q}.html"),
            link("#part-{k}"),
            anchor("../part{e}/page{q}.md"),
            anchor("../part{e}/page{q}.html#part-{k}"),
            no_link("../part{e}/page{q}"),
            no_link("part{e}/page{q}.md"),
            wrong("[x](", "/part{e}/page{q}.html", ")", "outside-root"),
            image("../img/a{q}.png"),
            right("<img src=\"", "../img/a{q}.png", "\">"),
        ],
    },
    Generator {
        name: "hugo",
        files: &[(
            "site/hugo.toml",
            "baseURL = 'https://example.com/base/'\nlanguageCode = 'en'\n\n[markup.goldmark.renderer]\nunsafe = true\n",
        )],
        page: "site/content/part{e}/page{q}.md",
        front: "+++\ntitle = 'Page'\n+++\n",
        heading: "## Part {k}\n",
        assets: &["site/static/img/a{q}.png"],
        list: None,
        idioms: &[
            link("../../part{e}/page{q}/#part-{k}"),
            link("/base/part{e}/page{q}/"),
            link("#part-{k}"),
            anchor("../../part{e}/page{q}/#part-{k}"),
            right("[x]({{< ref \"", "/part{e}/page{q}.md#part-{k}", "\" >}})"),
            right("[x]({{% relref \"", "../part{e}/page{q}", "\" %}})"),
            no_link("../part{e}/page{q}.md"),
            no_link("../part{e}/page{q}/"),
            wrong("[x](", "/part{e}/page{q}/", ")", "outside-root"),
            image("/base/img/a{q}.png"),
            image("../../img/a{q}.png"),
            no_image("../img/a{q}.png"),
        ],
    },
    Generator {
        name: "jekyll",
        files: &[(
            "site/_config.yml",
            "theme: minima\nurl: https://example.com\nbaseurl: /base\n",
        )],
        page: "site/part{e}/page{q}.md",
        front: "---\ntitle: Page\n---\n",
        heading: "## Part {k}\n",
        assets: &["site/img/a{q}.png"],
        list: None,
        idioms: &[
            link("../part{e}/page{q}.html#part-{k}"),
            link("/base/part{e}/page{q}.html"),
            link("../part{e}/page{q}.md"),
            link("#part-{k}"),
            anchor("../part{e}/page{q}.html#part-{k}"),
            right("[x]({% link ", "part{e}/page{q}.md", " %})"),
            right("[x]({{ '", "/part{e}/page{q}.html", "' | relative_url }})"),
            right("[x]({{ site.baseurl }}", "/part{e}/page{q}.html", ")"),
            no_link("../part{e}/page{q}/"),
            wrong("[x](", "/part{e}/page{q}.html", ")", "outside-root"),
            image("/base/img/a{q}.png"),
            image("../img/a{q}.png"),
            right("![x]({% link ", "img/a{q}.png", " %})"),
        ],
    },
    Generator {
        name: "zola",
        files: &[(
            "site/config.toml",
            "base_url = 'https://example.com/base'\n",
        )],
        page: "site/content/part{e}/page{q}.md",
        front: "+++\ntitle = 'Page'\n+++\n",
        heading: "## Part {k}\n",
        assets: &["site/static/img/a{q}.png"],
        list: None,
        idioms: &[
            link("@/part{e}/page{q}.md#part-{k}"),
            link("@/part{e}/page{q}.md"),
            link("../../part{e}/page{q}/#part-{k}"),
            link("/base/part{e}/page{q}/"),
            link("#part-{k}"),
            anchor("../../part{e}/page{q}/"),
            no_link("../part{e}/page{q}.md"),
            wrong("[x](", "/part{e}/page{q}/", ")", "outside-root"),
            image("/base/img/a{q}.png"),
            image("../../img/a{q}.png"),
        ],
    },
    Generator {
        name: "eleventy",
        files: &[(
            "site/eleventy.config.js",
            "module.exports = function (config) {\n  return {pathPrefix: '/base/'};\n};\n",
        )],
        page: "site/part{e}/page{q}.md",
        front: "---\ntitle: Page\n---\n",
        heading: "<h2 id=\"part-{k}\">Part</h2>\n",
        assets: &[],
        list: None,
        idioms: &[
            link("../../part{e}/page{q}/#part-{k}"),
            link("/base/part{e}/page{q}/"),
            link("#part-{k}"),
            anchor("../../part{e}/page{q}/#part-{k}"),
            no_link("../part{e}/page{q}.md"),
            no_anchor("../part{e}/page{q}/"),
            wrong("[x](", "/part{e}/page{q}/", ")", "outside-root"),
        ],
    },
    Generator {
        name: "hexo",
        files: &[
            (
                "site/_config.yml",
                "title: x\nurl: https://example.com/base\nroot: /base/\ntheme: plain\n",
            ),
            ("site/themes/plain/layout/index.ejs", ""),
            (
                "site/package.json",
                "{\"name\": \"x\", \"hexo\": {\"version\": \"8.1.2\"}}\n",
            ),
        ],
        page: "site/source/part{e}/page{q}.md",
        front: "---\ntitle: Page\n---\n",
        heading: "## Part {k}\n",
        assets: &["site/source/img/a{q}.png"],
        list: None,
        idioms: &[
            link("../part{e}/page{q}.html#Part-{k}"),
            link("/base/part{e}/page{q}.html"),
            link("#Part-{k}"),
            anchor("../part{e}/page{q}.html#Part-{k}"),
            no_link("../part{e}/page{q}.md"),
            no_link("../part{e}/page{q}/"),
            wrong("[x](", "/part{e}/page{q}.html", ")", "outside-root"),
            image("/img/a{q}.png"),
            right("<img src=\"", "/base/img/a{q}.png", "\">"),
        ],
    },
    Generator {
        name: "antora",
        files: &[
            ("site/antora.yml", "name: shop\nversion: '1'\n"),
            (
                "site/antora-playbook.yml",
                "site:\n  title: x\ncontent:\n  sources:\n  - url: .\nui:\n  bundle:\n    url: ui.zip\n",
            ),
        ],
        page: "site/modules/part{e}/pages/page{q}.adoc",
        front: "= Page\n",
        heading: "== Part {k}\n",
        assets: &[
            "site/modules/ROOT/images/a{q}.png",
            "site/modules/part{e}/images/b{q}.png",
            "site/modules/part{e}/partials/c{q}.adoc",
        ],
        list: None,
        idioms: &[
            right("xref:", "part{e}:page{q}.adoc#_part_{k}", "[x]"),
            right("xref:", "part{e}:page{q}.adoc", "[x]"),
            right("xref:", "1@shop:part{e}:page{q}.adoc#_part_{k}", "[x]"),
            right("xref:", "shop:part{e}:page{q}.adoc", "[x]"),
            wrong("xref:", "part{e}/page{q}.adoc", "[x]", "broken-file"),
            wrong(
                "xref:",
                "../../part{e}/pages/page{q}.adoc",
                "[x]",
                "broken-file",
            ),
            right("image::", "ROOT:a{q}.png", "[]"),
            right("image::", "part{e}:b{q}.png", "[]"),
            right("include::", "part{e}:partial$c{q}.adoc", "[]"),
        ],
    },
    Generator {
        name: "honkit",
        files: &[
            ("site/book.json", "{}\n"),
            (
                "site/package.json",
                "{\"devDependencies\": {\"honkit\": \"^6.0.0\"}}\n",
            ),
            ("site/README.md", "# Start\n"),
        ],
        page: "site/part{e}/page{q}.md",
        front: "# Page\n",
        heading: "## Part {k}\n",
        assets: &["site/img/a{q}.png"],
        list: Some(("site/SUMMARY.md", "* [x](part{e}/page{q}.md)\n")),
        idioms: &[
            link("../part{e}/page{q}.md#part-{k}"),
            link("../part{e}/page{q}.html"),
            link("/part{e}/page{q}.md"),
            link("#part-{k}"),
            anchor("../part{e}/page{q}.html#part-{k}"),
            no_link("../part{e}/page{q}"),
            no_link("part{e}/page{q}.md"),
            image("../img/a{q}.png"),
            image("/img/a{q}.png"),
        ],
    },
    Generator {
        name: "honkit",
        files: &[
            ("site/.gitbook.yaml", "root: ./\n"),
            ("site/README.md", "# Start\n"),
        ],
        page: "site/part{e}/page{q}.md",
        front: "# Page\n",
        heading: "## Part {k}\n",
        assets: &["site/.gitbook/assets/a{q}.png"],
        list: Some(("site/SUMMARY.md", "* [x](part{e}/page{q}.md)\n")),
        idioms: &[
            link("../part{e}/page{q}.md#part-{k}"),
            link("../part{e}/page{q}.md"),
            link("#part-{k}"),
            anchor("../part{e}/page{q}.md"),
            right(
                "{% content-ref url=\"",
                "../part{e}/page{q}.md",
                "\" %}\n\nx\n\n{% endcontent-ref %}",
            ),
            no_link("part{e}/page{q}.md"),
            image("../.gitbook/assets/a{q}.png"),
            right("{% file src=\"", "../.gitbook/assets/a{q}.png", "\" %}"),
        ],
    },
    Generator {
        name: "docsify",
        files: &[
            (
                "site/index.html",
                "<!DOCTYPE html>\n<div id=\"app\"></div>\n<script>window.$docsify = {name: 'x'}</script>\n\
                 <script src=\"https://cdn.example.com/docsify.min.js\"></script>\n",
            ),
            ("site/README.md", "# Start\n"),
        ],
        page: "site/part{e}/page{q}.md",
        front: "# Page\n",
        heading: "## Part {k}\n",
        assets: &["site/img/a{q}.png"],
        list: None,
        idioms: &[
            link("part{e}/page{q}.md"),
            link("part{e}/page{q}.md#part-{k}"),
            link("/part{e}/page{q}?id=part-{k}"),
            link("/part{e}/page{q}"),
            anchor("#/part{e}/page{q}"),
            no_link("part{e}/page{q}/"),
            no_link("page/part{e}/page{q}.md"),
            image("../img/a{q}.png"),
            image("/img/a{q}.png"),
        ],
    },
    Generator {
        name: "nextra",
        files: &[(
            "site/next.config.mjs",
            "import nextra from 'nextra'\nexport default nextra({})({basePath: '/base'})\n",
        )],
        page: "site/content/part{e}/page{q}.mdx",
        front: "# Page\n",
        heading: "## Part {k}\n",
        assets: &["site/public/img/a{q}.png"],
        list: None,
        idioms: &[
            link("/part{e}/page{q}#part-{k}"),
            link("../part{e}/page{q}#part-{k}"),
            link("../part{e}/page{q}.mdx"),
            link("#part-{k}"),
            right("<Link href=\"", "/part{e}/page{q}", "\">x</Link>"),
            no_link("part{e}/page{q}"),
            no_link("/base/part{e}/page{q}"),
            image("/img/a{q}.png"),
        ],
    },
    Generator {
        name: "sphinx",
        files: &[
            (
                "site/conf.py",
                "extensions = []\nhtml_theme = 'alabaster'\n",
            ),
            (
                "site/index.rst",
                "Start\n=====\n\n.. toctree::\n   :glob:\n\n   part*/page*\n",
            ),
        ],
        page: "site/part{e}/page{q}.rst",
        front: "Page\n====\n",
        heading: ".. _at-{e}-{q}-{k}:\n\nPart {k}\n------\n",
        assets: &["site/img/a{q}.png"],
        list: None,
        idioms: &[
            right(":doc:`x <", "/part{e}/page{q}", ">`"),
            right(":doc:`x <", "../part{e}/page{q}", ">`"),
            right(":download:`x <", "../part{e}/page{q}.rst", ">`"),
            right("`x <", "../part{e}/page{q}.html#part-{k}", ">`__"),
            wrong("`x <", "../part{e}/page{q}.rst", ">`__", "broken-file"),
            wrong(":doc:`x <", "part{e}/page{q}", ">`", "broken-file"),
            right(".. image:: ", "../img/a{q}.png", ""),
            right(".. figure:: ", "/img/a{q}.png", ""),
        ],
    },
    Generator {
        name: "sphinx",
        files: &[
            (
                "site/conf.py",
                "extensions = ['myst_parser']\nmyst_heading_anchors = 3\n",
            ),
            (
                "site/index.md",
                "# Start\n\n```{toctree}\n:glob:\n\npart*/page*\n```\n",
            ),
        ],
        page: "site/part{e}/page{q}.md",
        front: "# Page\n",
        heading: "## Part {k}\n",
        assets: &["site/img/a{q}.png"],
        list: None,
        idioms: &[
            link("../part{e}/page{q}.md#part-{k}"),
            link("/part{e}/page{q}.md"),
            link("../part{e}/page{q}"),
            link("#part-{k}"),
            right("{doc}`x <", "../part{e}/page{q}", ">`"),
            anchor("../part{e}/page{q}.html#part-{k}"),
            no_anchor("../part{e}/page{q}.md"),
            image("../img/a{q}.png"),
            image("/img/a{q}.png"),
            right("```{image} ", "../img/a{q}.png", "\n```"),
        ],
    },
    Generator {
        name: "null",
        files: &[
            ("site/.git/HEAD", "ref: refs/heads/main\n"),
            (
                "site/.git/config",
                "[remote \"origin\"]\n\turl = https://github.com/example/shop.git\n",
            ),
            ("site/README.md", "# Start\n"),
        ],
        page: "site/part{e}/page{q}.md",
        front: "# Page\n",
        heading: "## Part {k}\n",
        assets: &["site/img/a{q}.png"],
        list: None,
        idioms: &[
            link("../part{e}/page{q}.md#part-{k}"),
            link("/part{e}/page{q}.md"),
            link("https://github.com/example/shop/blob/main/part{e}/page{q}.md"),
            link("#part-{k}"),
            anchor("../part{e}/page{q}.md#part-{k}"),
            no_link("../part{e}/page{q}"),
            no_link("part{e}/page{q}.md"),
            no_link("../part{e}/page{q}.html"),
            image("../img/a{q}.png"),
            image("/img/a{q}.png"),
            right("<img src=\"", "../img/a{q}.png", "\">"),
        ],
    },
];

/// Fills the numbers in.
fn filled(text: &str, [part, page, heading]: [usize; 3]) -> String {
    text.replace("{e}", &part.to_string())
        .replace("{q}", &page.to_string())
        .replace("{k}", &heading.to_string())
}

/// Makes a site with planted defects, and as many links that are right.
fn site(generator: &Generator, random: &mut Random) -> PlantedTree {
    let mut tree = PlantedTree::default();
    for (path, text) in generator.files {
        tree.files.insert((*path).into(), (*text).into());
    }
    for part in 0..PARTS {
        for page in 0..PAGES {
            let path = filled(generator.page, [part, page, 0]);
            tree.line(&path, generator.front);
            for heading in 0..HEADINGS {
                tree.line(&path, &filled(generator.heading, [part, page, heading]));
            }
            for asset in generator.assets {
                let path = filled(asset, [part, page, 0]);
                tree.files.entry(path).or_default();
            }
            if let Some((list, line)) = generator.list {
                let text = tree.files.entry(list.into()).or_default();
                text.extend(filled(line, [part, page, 0]).bytes());
            }
        }
    }
    let mut defects = 0;
    while defects < planted() {
        let from = filled(
            generator.page,
            [random.below(PARTS), random.below(PAGES), 0],
        );
        let mut to = [
            random.below(PARTS),
            random.below(PAGES),
            random.below(HEADINGS),
        ];
        let idiom = &generator.idioms[random.below(generator.idioms.len())];
        let mut rule = idiom.wrong.then_some(idiom.missing);
        if !idiom.wrong && random.below(3) > 0 {
            // Which number is wrong: of the folder, of the page, of the heading.
            let place = random.below(3);
            if idiom.reference.contains(["{e}", "{q}", "{k}"][place]) {
                to[place] = MISSING;
                rule = Some(if place == 2 {
                    "broken-fragment"
                } else {
                    idiom.missing
                });
            }
        }
        let reference = filled(idiom.reference, to);
        let text = format!("{}{reference}{}\n", idiom.before, idiom.after);
        let line = tree.line(&from, &text) - text.matches('\n').count() as u64;
        if let Some(rule) = rule {
            tree.plant(&from, line, rule, &reference);
            defects += 1;
        }
    }
    tree
}

#[test]
fn defects_in_the_idioms_of_each_generator_are_found() {
    let mut failures = Vec::new();
    for (seed, generator) in GENERATORS.iter().enumerate() {
        let tree = site(generator, &mut Random(seed as u64 + 1));
        let directory = tree.write();
        let ran = directory.run(&["audit", "--json", "site"]);
        let summary: serde_json::Value =
            serde_json::from_str(ran.out.lines().last().unwrap_or_default()).unwrap();
        let sources = summary["sources"].to_string();
        if !sources.contains(generator.name) {
            failures.push(format!("{}: taken for {sources}", generator.name));
        }
        if let Err(differences) = tree.differences(&super::reports::findings_of_jsonl(&ran.out)) {
            failures.push(format!("{}: {differences}", generator.name));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
