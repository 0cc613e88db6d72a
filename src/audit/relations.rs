//! The relations of pages to others, as their links describe them: translations, and the page that
//! search engines should show.

use super::location::Audit;
use super::names::FileId;
use super::page_text::text_directives;
use super::rules::RuleId;
use super::target::TargetLocation::{self, External, File};
use crate::document::flags::Flags;
use crate::linker::Link;
use crate::pipeline::bases::is_internal;

fn has_relation(link: &Link<'_>, relation: &str) -> bool {
    let words = link.description.and_then(|found| found.rel);
    words.is_some_and(|words| words.split(' ').any(|word| word == relation))
        && link.element == Some("link")
        && !link.flags.intersects(Flags::INERT | Flags::SRCDOC)
}

/// Returns the language of the translation that a link names.
pub(super) fn language<'l>(link: &Link<'l>) -> Option<&'l str> {
    let language = link.description.and_then(|found| found.hreflang);
    language.filter(|_| has_relation(link, "alternate"))
}

impl Audit {
    /// Returns the rule about another page that a link of a page may break.
    pub(super) fn relation(
        &self,
        link: &Link<'_>,
        own: FileId,
        (location, fragment): (TargetLocation, Option<&[u8]>),
    ) -> Option<RuleId> {
        let is_file = location.file().is_some();
        let is_other = match location {
            File(file, _) => file != own,
            External if link.description.is_some() => {
                let path = self.checker.paths.path(own);
                let mount = self.checker.mounts.uri_of_mount(&path);
                mount.is_some_and(|mount| !is_internal(mount))
            }
            _ => false,
        };
        let mut texts = text_directives(fragment.unwrap_or_default());
        let rule = if is_file && texts.next().is_some() {
            RuleId::TextFragment
        } else if is_other && has_relation(link, "canonical") {
            RuleId::CanonicalElsewhere
        } else if is_file && is_other && !language(link)?.eq_ignore_ascii_case("x-default") {
            RuleId::HreflangReturn
        } else {
            return None;
        };
        self.options.levels.reports(rule).then_some(rule)
    }
}
