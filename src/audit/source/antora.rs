//! Antora.

use std::sync::OnceLock;

use foldhash::HashMap;

use super::config::Setting;
use super::paths::{join, parts, up_to_slash};
use super::site::{
    Attempts, ContentFile, Generator, Miss, Route, SiteDirectory, SiteReference, SiteRules,
    SourceSite, Syntax, start_of,
};
use crate::bytes::pattern::Pattern;
use crate::document::options::Slug;
use crate::pipeline::walk::path_of;

pub(super) static GENERATOR: Generator = Generator {
    name: "antora",
    markers: &["antora.yml"],
    open,
    slug: Slug::GitHub,
};

/// A version of a component, with the directory of its modules.
struct ComponentVersion {
    name: String,
    version: Option<String>,
    modules: Vec<u8>,
}

struct Antora {
    own: ComponentVersion,
    /// Those of the directories around.
    others: Vec<ComponentVersion>,
    /// The pages of aliases, by the files that they would be.
    aliases: OnceLock<HashMap<Vec<u8>, Vec<u8>>>,
}

fn component(directory: &SiteDirectory<'_>, path: &str) -> Option<ComponentVersion> {
    let values = directory.values(&format!("{path}antora.yml"))?;
    Some(ComponentVersion {
        name: values.text("name")?.to_owned(),
        version: values.text("version").map(str::to_owned),
        modules: directory.below(&format!("{path}modules/")),
    })
}

fn open(directory: &SiteDirectory<'_>) -> Option<SourceSite> {
    let own = component(directory, "")?;
    let url = match &own.version {
        Some(version) => format!("/{}/{version}/", own.name),
        None => format!("/{}/", own.name),
    };
    let modules = own.modules.clone();
    let above = directory.below("..");
    let names = directory.tree.names(&above);
    let others = names
        .iter()
        .filter_map(|name| component(directory, &format!("../{name}/")));
    let others = others.filter(|other| other.modules != own.modules);
    let rules = Antora {
        others: others.collect(),
        own,
        aliases: OnceLock::new(),
    };
    let mut site = SourceSite::new(directory, rules);
    site.add_content(&modules, &url);
    site.has_resource_ids = true;
    // Attributes of the playbook apply to all components.
    let playbooks = ["", "../", "../../"].map(|above| format!("{above}antora-playbook.yml"));
    let names = playbooks.iter().map(String::as_str).chain(["antora.yml"]);
    let mut configurations = names.filter_map(|name| directory.values(name));
    let sets = |values: &Setting, name: &str| {
        let attributes = values.entries("asciidoc.attributes").iter();
        attributes
            .map(|(key, _)| key.trim_matches(['@', '!']))
            .any(|key| key == name)
    };
    site.has_other_ids =
        configurations.any(|values| sets(&values, "idprefix") || sets(&values, "idseparator"));
    Some(site)
}

/// A resource: `version@component:module:family$path`.
struct Resource<'a> {
    version: Option<&'a str>,
    component: Option<&'a str>,
    module: Option<&'a str>,
    family: Option<&'a str>,
    path: &'a str,
}

impl<'a> Resource<'a> {
    fn of(text: &'a str) -> Self {
        let split = text.split_once('@');
        let (version, rest) = split.map_or((None, text), |(version, rest)| (Some(version), rest));
        let mut names: Vec<_> = rest.splitn(3, ':').collect();
        let last = names.pop().unwrap_or_default();
        let split = last.split_once('$');
        let (family, path) = split.map_or((None, last), |(family, path)| (Some(family), path));
        let module = names.pop();
        let component = names.pop();
        Resource {
            version,
            // The module of another component is its root.
            module: module.map(|name| if name.is_empty() { "ROOT" } else { name }),
            component,
            family,
            path,
        }
    }
}

static ALIASES: Pattern = Pattern::new(r"(?m)^:page-aliases:[ \t]*((?:[^\n]*\\\n)*[^\n]*)");
/// The part of a page in which its aliases are read, in bytes.
const MAX_HEADER: u64 = 16 << 10;

impl Antora {
    /// Returns the module of a file, and the path of the file in the module.
    fn module<'f>(&self, file: &'f [u8]) -> Option<(&'f str, &'f [u8])> {
        let below = file.strip_prefix(self.own.modules.as_slice())?;
        let end = memchr::memchr(b'/', below)?;
        Some((str::from_utf8(&below[..end]).ok()?, &below[end + 1..]))
    }

    /// Returns the files that a resource may be, by the module and the directory of a page.
    fn files(&self, resource: &Resource<'_>, family: &str, file: &[u8]) -> Vec<Vec<u8>> {
        let Some((own_module, _)) = self.module(file) else {
            return Vec::new();
        };
        let folder = match resource.family.unwrap_or(family) {
            "page" => "pages",
            "partial" => "partials",
            "image" => "images",
            "example" => "examples",
            "attachment" => "attachments",
            _ => return Vec::new(),
        };
        let is_beside = resource.path.starts_with("./") || resource.path.starts_with("../");
        if is_beside && resource.module.is_none() {
            return vec![join(up_to_slash(file), resource.path.as_bytes())];
        }
        let name = resource.component.unwrap_or(&self.own.name);
        let is_own = name == self.own.name && resource.version.is_none();
        let usual = if resource.component.is_some() {
            "ROOT"
        } else {
            own_module
        };
        let module = resource.module.unwrap_or(usual);
        let path = format!("{module}/{folder}/{}", resource.path);
        let all = std::iter::once(&self.own).chain(&self.others);
        // Without a version, any may be the latest one.
        let fitting = all.filter(|known| {
            let version = known.version.as_deref();
            known.name == name && resource.version.is_none_or(|asked| version == Some(asked))
        });
        let fitting = fitting.take(if is_own && resource.component.is_none() {
            1
        } else {
            usize::MAX
        });
        fitting
            .map(|known| join(&known.modules, path.as_bytes()))
            .collect()
    }

    fn aliases(&self) -> HashMap<Vec<u8>, Vec<u8>> {
        let mut aliases = HashMap::default();
        let mut open = vec![self.own.modules.clone()];
        while let Some(directory) = open.pop() {
            let entries = std::fs::read_dir(path_of(&directory));
            for entry in entries.into_iter().flatten().flatten() {
                let path = [&*directory, &*entry.file_name().into_encoded_bytes()].concat();
                if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                    open.push([&*path, b"/"].concat());
                } else if path.ends_with(b".adoc") {
                    let text = start_of(&path, MAX_HEADER).unwrap_or_default();
                    let found = ALIASES.group_at(&text, 0);
                    let list = found.map_or(String::new(), |[_, list]| {
                        String::from_utf8_lossy(&text[list]).replace("\\\n", " ")
                    });
                    for alias in list
                        .split(',')
                        .map(str::trim)
                        .filter(|alias| !alias.is_empty())
                    {
                        let files = self.files(&Resource::of(alias), "page", &path);
                        aliases.extend(files.into_iter().map(|file| (file, path.clone())));
                    }
                }
            }
        }
        aliases
    }
}

impl SiteRules for Antora {
    fn route(&self, file: &ContentFile<'_>) -> Route {
        let path = file.path();
        let Some((module, below)) = self.module(&path) else {
            return Route::LeftOut;
        };
        let module = if module == "ROOT" {
            String::new()
        } else {
            format!("{module}/")
        };
        let root = [&file.root.url, module.as_bytes()].concat();
        let (family, rest) = below.split_at(memchr::memchr(b'/', below).map_or(0, |at| at + 1));
        let (directory, name, extension) = parts(rest);
        match family {
            b"pages/" if extension == b"adoc" => {
                Route::page([&*root, directory, name, b".html"].concat())
            }
            b"images/" => Route::CopiedTo([&*root, b"_images/", rest].concat()),
            b"attachments/" => Route::CopiedTo([&*root, b"_attachments/", rest].concat()),
            b"" if extension == b"adoc" => Route::Computed,
            // References of partials depend on the page.
            _ => Route::LeftOut,
        }
    }

    fn resolve(&self, reference: &SiteReference<'_>, attempts: &mut Attempts) {
        let family = match reference.syntax {
            Syntax::Construct("xref") => "page",
            Syntax::Construct("image") => "image",
            Syntax::Construct("include") => "partial",
            _ => {
                reference.by_url(attempts);
                return attempts.miss = Miss::Undecided;
            }
        };
        let Ok(path) = str::from_utf8(reference.path) else {
            return;
        };
        let resource = Resource::of(path);
        if family == "partial" && resource.family.is_none() {
            return attempts.part(join(up_to_slash(reference.file), reference.path));
        }
        let files = self.files(&resource, family, reference.file);
        if files.is_empty() {
            return attempts.miss = Miss::Undecided;
        }
        for file in files {
            let alias = self.aliases.get_or_init(|| self.aliases()).get(&file);
            attempts.part(alias.unwrap_or(&file).clone());
        }
    }
}
