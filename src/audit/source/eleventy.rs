//! Eleventy.

use super::site::*;

struct Eleventy {
    /// The directory of the project.
    directory: Vec<u8>,
    /// The languages of templates; other formats are copied.
    formats: Vec<String>,
    ignored: Gitignore,
    copied: Gitignore,
    adds_base: bool,
    finds_files: bool,
}

const LANGUAGES: &str = "md,njk,liquid,html,hbs,ejs,11ty.js,11ty.ts,webc,mustache,haml,pug";

pub(super) fn open(directory: &SiteDirectory<'_>, site: &mut SourceSite) -> Option<Rules> {
    let text = directory.read(".eleventy.js");
    let text = text.or_else(|| directory.module("eleventy.config"));
    let package = directory.values("package.json").unwrap_or(Setting::Null);
    let scripts = package.entries("scripts").iter();
    let mut scripts = scripts.filter_map(|(_, script)| script.as_text());
    let is_script = scripts.any(|script| script.contains("eleventy"));
    directory.require(text.is_some() || is_script)?;
    let text = text.unwrap_or_default();
    let all = |word| config::values_after(&text, word);
    let is_configuration = |object: &Setting| {
        let is_map = matches!(object, Setting::Map(_));
        is_map && object.has_any("dir pathPrefix templateFormats")
    };
    let starts = ["return", "config =", "module.exports ="];
    let objects = starts.into_iter().flat_map(all);
    let values = objects.filter(is_configuration).last();
    let values = values.unwrap_or(Setting::Null);
    let name = |key: &str, call: &'static str, usual: &str| match all(call).last() {
        Some(value) => value.as_text().map(str::to_owned),
        None => values.text_or(key, usual),
    };
    // A directory that is computed may be any: nothing is decided.
    let input = name("dir.input", "setInputDirectory(", ".");
    site.makes_pages = input.is_none();
    let input = directory.folder(input.unwrap_or_default());
    let output = name("dir.output", "setOutputDirectory(", "_site");
    let own = all("setTemplateFormats(").last();
    let own = own.or_else(|| values.get("templateFormats").cloned());
    let own = own.map_or(String::new(), |own| own.strings("").join(","));
    let names = if own.is_empty() { LANGUAGES } else { &own };
    let names = names.split(',').map(|name| name.trim().to_owned());
    let mut formats: Vec<_> = names.collect();
    let added = all("addTemplateFormats(");
    formats.extend(added.filter_map(|value| Some(value.as_text()?.to_owned())));
    let of_project =
        |path: &str| String::from_utf8(join(b"/", path.as_bytes())).unwrap_or_default();
    let mut ignored = vec!["node_modules/".to_owned()];
    for file in [".eleventyignore", ".gitignore"] {
        let lines = directory.read(file).unwrap_or_default();
        // Unlike in Git, all lines are paths from the project, and `!` has no meaning.
        let lines = lines.lines().map(str::trim);
        let paths = lines.filter(|line| !line.is_empty() && !line.starts_with(['#', '!']));
        ignored.extend(paths.map(of_project));
    }
    let added = all("ignores.add(");
    ignored.extend(added.filter_map(|value| Some(of_project(value.as_text()?))));
    let (mut copies, mut lacks_assets) = (Vec::new(), false);
    for value in all("addPassthroughCopy(") {
        match value {
            Setting::Text(from) => copies.push((from, None)),
            Setting::Map(map) => {
                let entries = map.entries.into_iter();
                copies.extend(entries.map(|(from, to)| (from, Some(to))));
            }
            _ => lacks_assets = true,
        }
    }
    let copied = copies.iter().filter(|(_, to)| to.is_none());
    site.set_base(values.text_or("pathPrefix", "/"));
    site.add_content(&input, "/");
    for (from, to) in &copies {
        let path = directory.below(from);
        let of_project = path.strip_prefix(directory.path);
        let below = path.strip_prefix(&*input).or(of_project);
        let below = String::from_utf8_lossy(below.unwrap_or_default());
        let to = to.as_ref().map_or(Some(&*below), Setting::as_text);
        let to = to.map(|to| format!("/{}", to.trim_start_matches("./").trim_matches('/')));
        match to {
            Some(to) if path_of(&path).is_dir() => site.add_overlay(&path, in_slashes(&to)),
            Some(to) if path_of(&path).is_file() => {
                // A file keeps its name in a directory.
                site.add_made([[to.as_bytes(), b"/", last_name(&path)].concat()]);
                site.add_made([to]);
            }
            // A glob keeps the places of files, unless it maps them.
            Some(to) if from.contains('*') && to[1..] == below => {
                lacks_assets |= !path.starts_with(&input);
            }
            Some(_) if !from.contains('*') => {}
            _ => lacks_assets = true,
        }
    }
    let folders = [
        name("dir.includes", "setIncludesDirectory(", "_includes"),
        name("dir.data", "setDataDirectory(", "_data"),
        name("dir.layouts", "setLayoutsDirectory(", "_includes"),
    ];
    site.add_templates(&input, folders.into_iter().flatten());
    site.add_outputs(directory.path, output);
    site.lacks_assets = lacks_assets;
    site.has_other_ids = config::names_any(&text, MAKERS);
    site.adds_ids = text.contains("IdAttributePlugin");
    Some(Box::new(Eleventy {
        directory: directory.path.to_vec(),
        formats,
        ignored: globs(directory.path, &ignored),
        copied: globs(directory.path, copied.map(|(from, _)| of_project(from))),
        adds_base: text.contains("HtmlBasePlugin"),
        finds_files: text.contains("InputPathToUrlTransformPlugin"),
    }))
}

/// Plugins that give ids to headings.
const MAKERS: &str = "IdAttributePlugin markdown-it-anchor markdownItAnchor markdown-it-attrs \
    setLibrary(\"md\" setLibrary('md'";
/// The ends of files of data.
const DATA: &str = ".json .11tydata.json .11tydata.js .11tydata.cjs .11tydata.mjs";

/// Returns the permalink of a template: its own, or the one in the data of its directories.
fn permalink(file: &ContentFile<'_>, stem: &[u8], values: &Setting) -> Option<Setting> {
    let of = |values: &Setting| {
        let own = values.get("permalink");
        let own = own.or(values.get("eleventyComputed.permalink"));
        own.filter(|value| **value != Setting::Null).cloned()
    };
    let of_data = |stem: Vec<u8>| {
        DATA.split(' ').find_map(|end| {
            let path = [&*stem, end.as_bytes()].concat();
            let text = text_of(&path)?;
            of(&config::read(end, &text)?)
        })
    };
    let (path, root) = (file.path(), file.root.directory.len());
    let directory = up_to_slash(&path);
    let ends = memchr::memrchr_iter(b'/', directory).take_while(|&end| end >= root);
    let names = ends.map(|end| (&directory[..=end], last_name(&directory[..end])));
    let mut stems = std::iter::once((directory, stem)).chain(names);
    let of_name = |(directory, name): (&[u8], &[u8])| of_data([directory, name].concat());
    of(values).or_else(|| stems.find_map(of_name))
}

impl SiteRules for Eleventy {
    fn route(&self, file: &ContentFile<'_>) -> Route {
        let path = file.path();
        if is_excluded(&self.copied, &path) {
            return Route::Copied;
        }
        let mut formats = self.formats.iter();
        let found = formats.find_map(|format| {
            let stem = file.below.strip_suffix(format.as_bytes())?;
            Some((stem.strip_suffix(b".")?, format))
        });
        let Some((below, format)) = found.filter(|_| !is_excluded(&self.ignored, &path)) else {
            return Route::LeftOut;
        };
        if !LANGUAGES.split(',').any(|language| language == format) {
            return Route::Copied;
        }
        let (directory, stem) = below.split_at(up_to_slash(below).len());
        let url = match stem == b"index" || stem == last_name(directory) {
            true => [b"/", directory].concat(),
            false => [b"/", below, b"/"].concat(),
        };
        let Some(values) = file.values() else {
            return Route::Computed;
        };
        match permalink(file, stem, &values) {
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
        let path = reference.path;
        if self.finds_files {
            let below = path.strip_prefix(b"/").unwrap_or(path);
            reference.beside(attempts);
            attempts.file(reference.in_content(below));
            attempts.file(join(&self.directory, below));
        }
        // The plugin leaves the base itself unchanged.
        let is_base = reference.site.base.as_deref() == Some(&*with_slash(path));
        match path {
            [b'/', ..] if self.adds_base && !is_base => reference.below_base(attempts),
            _ => reference.by_url(attempts),
        }
    }
}
