//! The audit of document trees.

// Findings on added lines.
mod added;
// Translations and canonical pages.
mod alternates;
// Style sheets, feeds, manifests and notebooks as sources; assets that nothing refers to.
mod assets;
// Causes that findings share.
mod causes;
// Addresses of trees, and those that a change removes.
mod change;
// What changed since a revision.
mod changed;
// Trees of `corpus/audit/`, each with the findings that were written by hand.
mod corpus;
// Dialects of Markdown.
mod dialects;
// The table of exit codes.
mod exit_codes;
// Fixes, as a diff and in the files.
mod fix;
// Baselines, changed files, several reports, links, what is left for other tools.
mod flags;
// A generated site with known breakage.
mod generated;
// Findings with one cause.
mod groups;
// Fixes and findings that would do harm.
mod harmless;
// Trees that are made to cost much, or to lead out of themselves.
mod hostile;
// What is ignored; undefined labels; templates.
mod ignoring;
// reStructuredText and AsciiDoc.
mod markup;
// The order of findings.
mod order;
// The sources that findings come from.
mod origins;
// The page of findings, and Markdown.
mod page;
// Generated trees with planted defects of every rule.
mod planted;
// Answers of online checkers.
mod results;
// Rules of redirect files of servers.
mod redirects;
// SARIF and JUnit, read by parsers.
mod reports;
// What servers answer where no file is.
mod servers;
// Sources of sites.
mod sources;
// Paths in instructions for agents.
mod stale_paths;
// Suggestions, which can be pasted.
mod suggestions;
// Text directives in fragments.
mod text_fragments;
