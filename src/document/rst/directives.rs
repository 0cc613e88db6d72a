//! Directives: what their arguments, options and contents hold. One row per name.

/// The argument of a directive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Argument {
    /// Neither a reference nor text.
    Other,
    /// A URI.
    Uri,
    /// The path of a file.
    Path,
    /// Text.
    Text,
}

/// The contents of a directive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DirectiveContents {
    /// Body elements.
    Body,
    /// One text, whatever its lines begin with.
    Text,
    /// Lines of text.
    Rows,
    /// The documents of a table of contents.
    Toctree,
    /// Nothing that is read.
    Opaque,
}

/// A kind of directive.
#[derive(Clone, Copy, Debug)]
pub(super) struct Directive {
    pub(super) name: &'static str,
    pub(super) argument: Argument,
    pub(super) contents: DirectiveContents,
}

const fn row(name: &'static str, argument: Argument, contents: DirectiveContents) -> Directive {
    Directive {
        name,
        argument,
        contents,
    }
}

const fn opaque(name: &'static str) -> Directive {
    row(name, Argument::Other, DirectiveContents::Opaque)
}

const fn text(name: &'static str) -> Directive {
    row(name, Argument::Text, DirectiveContents::Body)
}

/// Directives that are in no row.
const OTHER: Directive = row("", Argument::Other, DirectiveContents::Body);

/// The directives of docutils and Sphinx, and common ones of extensions, by name.
static DIRECTIVES: [Directive; 84] = [
    text("admonition"),
    opaque("argparse"),
    text("attention"),
    opaque("blockdiag"),
    text("caution"),
    text("centered"),
    opaque("click"),
    opaque("code"),
    opaque("code-block"),
    opaque("code-cell"),
    opaque("command-output"),
    row("csv-table", Argument::Text, DirectiveContents::Rows),
    text("danger"),
    opaque("date"),
    opaque("default-role"),
    text("deprecated"),
    opaque("digraph"),
    opaque("doctest"),
    text("epigraph"),
    text("error"),
    row("figure", Argument::Uri, DirectiveContents::Body),
    opaque("graph"),
    opaque("graphviz"),
    opaque("highlight"),
    text("highlights"),
    text("hint"),
    text("hlist"),
    row("image", Argument::Uri, DirectiveContents::Body),
    text("impl-detail"),
    text("important"),
    row("include", Argument::Path, DirectiveContents::Body),
    opaque("index"),
    opaque("inheritance-diagram"),
    opaque("ipython"),
    opaque("jinja"),
    opaque("jupyter-execute"),
    row("kernel-include", Argument::Path, DirectiveContents::Body),
    opaque("kernel-render"),
    row("line-block", Argument::Other, DirectiveContents::Text),
    row("list-table", Argument::Text, DirectiveContents::Body),
    row("literalinclude", Argument::Path, DirectiveContents::Opaque),
    opaque("math"),
    opaque("mermaid"),
    opaque("meta"),
    text("note"),
    opaque("nwdiag"),
    opaque("packetdiag"),
    row("parsed-literal", Argument::Other, DirectiveContents::Text),
    opaque("plantuml"),
    opaque("plot"),
    opaque("productionlist"),
    opaque("program-output"),
    opaque("prompt"),
    text("pull-quote"),
    opaque("raw"),
    row("replace", Argument::Text, DirectiveContents::Body),
    opaque("role"),
    opaque("rst-class"),
    text("rubric"),
    opaque("runblock"),
    text("seealso"),
    opaque("seqdiag"),
    text("sidebar"),
    opaque("sourcecode"),
    opaque("tabularcolumns"),
    row("table", Argument::Text, DirectiveContents::Body),
    opaque("testcleanup"),
    opaque("testcode"),
    opaque("testoutput"),
    opaque("testsetup"),
    text("tip"),
    opaque("title"),
    row("toctree", Argument::Other, DirectiveContents::Toctree),
    text("todo"),
    text("topic"),
    opaque("uml"),
    opaque("unicode"),
    text("versionadded"),
    text("versionchanged"),
    text("versionremoved"),
    text("warning"),
    opaque("wavedrom"),
    opaque("yaml"),
    opaque("youtube"),
];

impl Directive {
    /// Returns the row of a name, in any case; `None` for names that are not known.
    pub(super) fn named(name: &[u8]) -> &'static Directive {
        let row = DIRECTIVES
            .iter()
            .find(|row| row.name.as_bytes().eq_ignore_ascii_case(name));
        row.unwrap_or(&OTHER)
    }
}
