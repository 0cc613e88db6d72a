//! Antora.

use std::sync::OnceLock;

use foldhash::HashMap;

use super::site::*;
use crate::bytes::class::split_once;

/// A version of a component, with the directory of its modules.
struct ComponentVersion {
    name: String,
    version: Option<String>,
    /// The numbers of the version; `None` if it has other parts or is a prerelease.
    numbers: Option<Vec<u64>>,
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
    let version = values.text("version").filter(|_| !values.has("prerelease"));
    let numbers = version.and_then(|version| {
        let parts = version.trim_start_matches('v').split('.');
        parts.map(|part| part.parse().ok()).collect()
    });
    Some(ComponentVersion {
        name: values.text("name")?.to_owned(),
        version: values.text("version").map(str::to_owned),
        numbers,
        modules: directory.folder(format!("{path}modules")),
    })
}

pub(super) fn open(directory: &SiteDirectory<'_>, site: &mut SourceSite) -> Option<Rules> {
    let own = component(directory, "")?;
    let version = own.version.as_deref().unwrap_or_default();
    let url = in_slashes(&[&own.name, version].join("/"));
    let modules = own.modules.clone();
    let names = directory.tree.names(&directory.below(".."));
    let others = names.iter().map(|name| format!("../{name}/"));
    let others = others.filter_map(|path| component(directory, &path));
    site.add_content(&modules, &url);
    // The pages of a module are not moved to another one, where other references reach them.
    for name in directory.tree.names(&modules) {
        site.add_content(&join(&modules, name.as_bytes()), &url);
    }
    site.has_resource_ids = true;
    // Attributes of the playbook apply to all components.
    let playbook =
        "antora-playbook.yml ../antora-playbook.yml ../../antora-playbook.yml antora.yml";
    let files = playbook.split(' ');
    let mut files = files.filter_map(|name| directory.values(name));
    site.has_other_ids = files.any(|values| {
        let mut names = values.keys("asciidoc.attributes");
        names.any(|name| matches!(name.trim_matches(['@', '!']), "idprefix" | "idseparator"))
    });
    Some(Box::new(Antora {
        others: others.filter(|other| other.modules != modules).collect(),
        own,
        aliases: OnceLock::new(),
    }))
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
        let found = RESOURCE.captures(text.as_bytes());
        let part = |number| text.get(found.as_ref()?.get(number)?.range());
        // The module of another component is its root.
        let module = part(3).map(|name| if name.is_empty() { "ROOT" } else { name });
        Resource {
            version: part(1),
            component: part(2),
            module,
            family: part(4),
            path: part(5).unwrap_or_default(),
        }
    }
}

/// An attribute for the directory of a family in the module.
pub(super) static DIRECTORY: Pattern =
    Pattern::new(r"^\{(attachment|image|partial|example)sdir\}/");

static RESOURCE: Pattern =
    Pattern::new(r"^(?:([^@]*)@)?(?:(?:([^:]*):)?([^:]*):)?(?:([^$]*)\$)?(.*)$");
static ALIASES: Pattern = Pattern::new(r"(?m)^:page-aliases:[ \t]*((?:[^\n]*\\\n)*[^\n]*)");
/// The part of a page in which its aliases are read, in bytes.
const MAX_HEADER: u64 = 16 << 10;

impl Antora {
    /// Returns the module of a file, and the path of the file in the module.
    fn module<'f>(&self, file: &'f [u8]) -> Option<(&'f str, &'f [u8])> {
        let below = file.strip_prefix(self.own.modules.as_slice())?;
        let (module, rest) = split_once(below, b'/');
        Some((str::from_utf8(module).ok()?, rest?))
    }

    /// Returns the files that a resource may be, the likeliest first, by the module and the directory of a page;
    /// `None` where that is not known.
    fn files(&self, resource: &Resource<'_>, family: &str, file: &[u8]) -> Option<Vec<Vec<u8>>> {
        let (own_module, below) = self.module(file)?;
        let family = resource.family.unwrap_or(family);
        let mut families = "page partial image example attachment".split(' ');
        if !families.any(|known| known == family) {
            return None;
        }
        let is_beside = resource.path.starts_with("./") || resource.path.starts_with("../");
        if is_beside && resource.module.is_none() {
            // It starts at the page's place in its family, which it can't leave.
            let place = split_once(below, b'/').1.unwrap_or_default();
            let depth = memchr::memchr_iter(b'/', place).count();
            let mut up = resource.path.split('/').filter(|&name| name == "..");
            if up.nth(depth).is_some() {
                return Some(Vec::new());
            }
            let root = format!("{own_module}/{family}s/");
            let from = [&self.own.modules, root.as_bytes(), up_to_slash(place)].concat();
            return Some(vec![join(&from, resource.path.as_bytes())]);
        }
        let name = resource.component.unwrap_or(&self.own.name);
        let usual = resource.component.map_or(own_module, |_| "ROOT");
        let module = resource.module.unwrap_or(usual);
        let path = format!("{module}/{family}s/{}", resource.path);
        let all = std::iter::once(&self.own).chain(&self.others);
        let fitting = all.filter(|known| {
            let version = known.version.as_deref();
            known.name == name && resource.version.is_none_or(|own| version == Some(own))
        });
        let is_own = resource.version.is_none() && resource.component.is_none();
        let most = if is_own { 1 } else { usize::MAX };
        let mut fitting: Vec<_> = fitting.take(most).collect();
        // Without a version it is of the latest, which only numbers show. The component may lie elsewhere.
        fitting.sort_by(|one, other| other.numbers.cmp(&one.numbers));
        let latest = &fitting.first()?.version;
        let is_known =
            |known: &&ComponentVersion| known.numbers.is_some() || known.version == *latest;
        let file = |known: &&ComponentVersion| join(&known.modules, path.as_bytes());
        (fitting.iter().all(is_known)).then(|| fitting.iter().map(file).collect())
    }

    fn aliases(&self) -> HashMap<Vec<u8>, Vec<u8>> {
        let mut aliases = HashMap::default();
        for path in files_below(&self.own.modules, |_| true) {
            if !path.ends_with(b".adoc") {
                continue;
            }
            let text = start_of(&path, MAX_HEADER).unwrap_or_default();
            let found = ALIASES.group_at(&text, 0);
            let list = found.map_or(&b""[..], |[_, list]| &text[list]);
            let list = String::from_utf8_lossy(list).replace("\\\n", " ");
            for alias in list.split(',').map(str::trim) {
                let files = self.files(&Resource::of(alias), "page", &path);
                let files = files.into_iter().flatten().filter(|_| !alias.is_empty());
                aliases.extend(files.map(|file| (file, path.clone())));
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
        let module = if module == "ROOT" { "" } else { module };
        let module = in_slashes(module);
        let root = [&file.root.url, &module.as_bytes()[1..]].concat();
        let (family, rest) = below.split_at(memchr::memchr(b'/', below).map_or(0, |at| at + 1));
        let (directory, name, extension) = parts(rest);
        match family {
            b"pages/" if extension == b"adoc" && !has_segment(rest, b"_") => {
                Route::page([&*root, directory, name, b".html"].concat())
            }
            b"images/" | b"attachments/" => Route::CopiedTo([&*root, b"_", family, rest].concat()),
            b"" if extension == b"adoc" => Route::Computed,
            // References of partials depend on the page.
            _ => Route::LeftOut,
        }
    }

    fn resolve(&self, reference: &SiteReference<'_>, attempts: &mut Attempts) {
        // The image macro is in a directory already.
        let is_image = reference.syntax == Syntax::Construct("image");
        let path = match is_image {
            true => reference.path.into(),
            false => DIRECTORY.replace(reference.path, &b"$1$$"[..]),
        };
        let family = match reference.syntax {
            Syntax::Construct("xref") => "page",
            Syntax::Construct("image") => "image",
            Syntax::Construct("include") => "partial",
            _ if path != reference.path => "attachment",
            _ => {
                reference.by_url(attempts);
                return attempts.miss = Miss::Undecided;
            }
        };
        let Ok(path) = str::from_utf8(&path) else {
            return;
        };
        let resource = Resource::of(path);
        if family == "partial" && resource.family.is_none() {
            return attempts.part(reference.file_beside());
        }
        // Only includes read files that are not published.
        let is_part = matches!(resource.family, Some("partial" | "example"));
        if family == "page" && (is_part || has_segment(resource.path.as_bytes(), b"_")) {
            return;
        }
        let Some(files) = self.files(&resource, family, reference.file) else {
            return attempts.miss = Miss::Undecided;
        };
        for file in files {
            let alias = self.aliases.get_or_init(|| self.aliases()).get(&file);
            attempts.part(alias.unwrap_or(&file).clone());
        }
    }
}
