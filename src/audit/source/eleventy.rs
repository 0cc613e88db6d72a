//! Eleventy.

use ignore::gitignore::Gitignore;

use super::config::{self, Setting};
use super::paths::{join, up_to_slash, with_slash};
use super::site::{
    Attempts, ContentFile, Generator, Route, SiteDirectory, SiteReference, SiteRules, SourceSite,
    globs, is_excluded,
};
use crate::document::options::Slug;
use crate::pipeline::walk::path_of;

pub(super) static GENERATOR: Generator = Generator {
    name: "eleventy",
    markers: &[".eleventy.js", "eleventy.config.*", "package.json"],
    open,
    slug: Slug::None,
};

struct Eleventy {
    /// The directory of the project.
    directory: Vec<u8>,
    input: Vec<u8>,
    /// The languages of templates; other formats are copied.
    formats: Vec<String>,
    ignored: Gitignore,
    copied: Gitignore,
    adds_base: bool,
    finds_files: bool,
}

const LANGUAGES: [&str; 12] = [
    "md", "njk", "liquid", "html", "hbs", "ejs", "11ty.js", "11ty.ts", "webc", "mustache", "haml",
    "pug",
];
const CONFIGURATIONS: [&str; 5] = [
    ".eleventy.js",
    "eleventy.config.js",
    "eleventy.config.mjs",
    "eleventy.config.cjs",
    "eleventy.config.ts",
];

fn open(directory: &SiteDirectory<'_>) -> Option<SourceSite> {
    let text = CONFIGURATIONS.iter().find_map(|name| directory.read(name));
    let package = directory.values("package.json").unwrap_or(Setting::Null);
    let mut scripts = package.entries("scripts").iter();
    let is_script = scripts.any(|(_, script)| {
        script
            .as_text()
            .is_some_and(|text| text.contains("eleventy"))
    });
    if text.is_none() && !is_script && !directory.is_given {
        return None;
    }
    let text = text.unwrap_or_default();
    let mut values = Setting::Null;
    let starts = ["return", "config =", "module.exports ="];
    for object in starts
        .into_iter()
        .flat_map(|word| config::values_after(&text, word))
    {
        let keys = ["dir", "pathPrefix", "templateFormats"];
        if matches!(object, Setting::Map(_)) && keys.iter().any(|key| object.has(key)) {
            values = object;
        }
    }
    let of_call = |name: &str| config::values_after(&text, name).last();
    // A directory that is computed may be any: nothing is decided.
    let name = |key: &str, call: &str, usual: &str| match of_call(call) {
        Some(value) => value.as_text().map(str::to_owned),
        None => values.text_or(key, usual),
    };
    let input = with_slash(&directory.below(&name("dir.input", "setInputDirectory(", ".")?));
    let output = name("dir.output", "setOutputDirectory(", "_site")?;
    let formats = of_call("setTemplateFormats(").unwrap_or_else(|| {
        values
            .get("templateFormats")
            .cloned()
            .unwrap_or(Setting::Null)
    });
    let mut formats: Vec<String> = match &formats {
        Setting::Text(all) => all.split(',').map(|name| name.trim().to_owned()).collect(),
        Setting::List(all) => all
            .iter()
            .filter_map(Setting::as_text)
            .map(str::to_owned)
            .collect(),
        _ => LANGUAGES.map(str::to_owned).to_vec(),
    };
    formats.extend(
        config::values_after(&text, "addTemplateFormats(")
            .filter_map(|value| Some(value.as_text()?.to_owned())),
    );
    let mut ignored: Vec<String> = vec!["node_modules/".to_owned()];
    for file in [".eleventyignore", ".gitignore"] {
        let lines = directory.read(file).unwrap_or_default();
        ignored.extend(lines.lines().map(str::to_owned));
    }
    let added = config::values_after(&text, "ignores.add(");
    ignored.extend(
        added.filter_map(|value| Some(format!("/{}", value.as_text()?.trim_start_matches("./")))),
    );
    let (mut copies, mut lacks_assets) = (Vec::new(), false);
    for value in config::values_after(&text, "addPassthroughCopy(") {
        match &value {
            Setting::Text(from) => copies.push((from.clone(), None)),
            Setting::Map(map) => copies.extend(
                map.entries
                    .iter()
                    .map(|(from, to)| (from.clone(), Some(to.clone()))),
            ),
            _ => lacks_assets = true,
        }
    }
    let copied: Vec<_> = copies
        .iter()
        .filter(|(_, to)| to.is_none())
        .map(|(from, _)| format!("/{}", from.trim_start_matches("./")))
        .collect();
    let rules = Eleventy {
        directory: directory.path.to_vec(),
        input: input.clone(),
        formats,
        ignored: globs(directory.path, ignored.iter().map(String::as_str)),
        copied: globs(directory.path, copied.iter().map(String::as_str)),
        adds_base: text.contains("HtmlBasePlugin"),
        finds_files: text.contains("InputPathToUrlTransformPlugin"),
    };
    let mut site = SourceSite::new(directory, rules);
    let prefix = values.text_or("pathPrefix", "/");
    site.set_base(prefix);
    site.add_content(&input, "/");
    for (from, to) in &copies {
        let path = directory.below(from);
        let below = path
            .strip_prefix(input.as_slice())
            .or(path.strip_prefix(directory.path))
            .unwrap_or_default();
        let to = match to {
            None => Some(String::from_utf8_lossy(below).into_owned()),
            Some(to) => to.as_text().map(str::to_owned),
        };
        let to = to.map(|to| format!("/{}", to.trim_start_matches("./").trim_matches('/')));
        match to {
            Some(to) if path_of(&path).is_dir() => {
                site.add_overlay(&path, &(to.trim_end_matches('/').to_owned() + "/"));
            }
            Some(to) if path_of(&path).is_file() => {
                // A file keeps its name in a directory.
                let name = &path[up_to_slash(&path).len()..];
                site.made.insert([to.as_bytes(), b"/", name].concat());
                site.made.insert(to.into_bytes());
            }
            // A glob keeps the places of files, unless it maps them.
            Some(to) if from.contains('*') && *to.as_bytes() == [b"/", below].concat() => {
                lacks_assets |= !path.starts_with(&input);
            }
            Some(_) if !from.contains('*') => {}
            _ => lacks_assets = true,
        }
    }
    let includes = name("dir.includes", "setIncludesDirectory(", "_includes");
    let data = name("dir.data", "setDataDirectory(", "_data");
    let layouts = name("dir.layouts", "setLayoutsDirectory(", "_includes");
    for name in [includes, data, layouts].into_iter().flatten() {
        site.templates
            .push(with_slash(&join(&input, name.as_bytes())));
    }
    site.templates.push(with_slash(&directory.below(&output)));
    site.lacks_assets = lacks_assets;
    let makers = [
        "IdAttributePlugin",
        "markdown-it-anchor",
        "markdownItAnchor",
        "markdown-it-attrs",
        "setLibrary(\"md\"",
        "setLibrary('md'",
    ];
    site.has_other_ids = makers.iter().any(|name| text.contains(name));
    Some(site)
}

impl Eleventy {
    /// Returns the permalink of a template: its own, or the one in the data of its directories.
    fn permalink(&self, file: &ContentFile<'_>, stem: &[u8], values: &Setting) -> Option<Setting> {
        let of = |values: &Setting| {
            let own = values.get("permalink");
            let own = own.or(values.get("eleventyComputed.permalink"));
            own.filter(|value| **value != Setting::Null).cloned()
        };
        let own = of(values);
        if own.is_some() {
            return own;
        }
        let path = file.path();
        let directory = up_to_slash(&path);
        let mut stems = vec![[directory, stem].concat()];
        let ends = memchr::memrchr_iter(b'/', directory).take_while(|&end| end >= self.input.len());
        stems.extend(ends.map(|end| {
            let above = &directory[..end];
            [above, b"/", &above[up_to_slash(above).len()..]].concat()
        }));
        let ends = [
            ".json",
            ".11tydata.json",
            ".11tydata.js",
            ".11tydata.cjs",
            ".11tydata.mjs",
        ];
        stems
            .iter()
            .flat_map(|stem| ends.map(|end| [stem, end.as_bytes()].concat()))
            .find_map(|path| {
                let text = std::fs::read_to_string(path_of(&path)).ok()?;
                let values = config::read(&String::from_utf8_lossy(&path), &text)?;
                of(&values)
            })
    }
}

impl SiteRules for Eleventy {
    fn route(&self, file: &ContentFile<'_>) -> Route {
        let path = file.path();
        if is_excluded(&self.copied, &path) {
            return Route::Copied;
        }
        let format = self.formats.iter().find(|format| {
            let stem = file.below.strip_suffix(format.as_bytes());
            stem.is_some_and(|stem| stem.ends_with(b"."))
        });
        let Some(format) = format.filter(|_| !is_excluded(&self.ignored, &path)) else {
            return Route::LeftOut;
        };
        if !LANGUAGES.contains(&format.as_str()) {
            return Route::Copied;
        }
        let below = &file.below[..file.below.len() - format.len() - 1];
        let (directory, stem) = below.split_at(up_to_slash(below).len());
        let above = directory.strip_suffix(b"/").unwrap_or_default();
        let is_index =
            stem == b"index" || !above.is_empty() && stem == &above[up_to_slash(above).len()..];
        let url = if is_index {
            [b"/", directory].concat()
        } else {
            [b"/", below, b"/"].concat()
        };
        let Some(values) = file.front_matter().into_values() else {
            return Route::Computed;
        };
        match self.permalink(file, stem, &values) {
            // Pages of a pagination are below the first.
            None if values.has("pagination") => Route::ComputedBelow(url),
            None => Route::page(url),
            Some(Setting::Flag(false)) => Route::LeftOut,
            Some(Setting::Text(link)) => {
                let marks = ["{{", "{%", "<%", "${"].iter();
                let computed = marks.filter_map(|mark| link.find(mark)).min();
                let start = &link[..computed.unwrap_or(link.len())];
                let url = format!("/{}", start.trim_start_matches('/'));
                match computed {
                    Some(_) => Route::ComputedBelow(url.into_bytes()),
                    None => Route::page(url),
                }
            }
            Some(_) => Route::ComputedBelow(b"/".to_vec()),
        }
    }

    fn resolve(&self, reference: &SiteReference<'_>, attempts: &mut Attempts) {
        if self.finds_files {
            let below = reference.path.strip_prefix(b"/").unwrap_or(reference.path);
            reference.beside(attempts);
            [&self.input, &self.directory]
                .iter()
                .for_each(|root| attempts.file(join(root, below)));
        }
        if self.adds_base && reference.path.starts_with(b"/") {
            reference.below_base(attempts);
        } else {
            reference.by_url(attempts);
        }
    }
}
