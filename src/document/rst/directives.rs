//! Directives: their arguments, options and contents. One row per name.

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

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DirectiveContents {
    /// Body elements.
    Body,
    /// One text; marks at the start of lines have no meaning.
    Text,
    /// Lines of text.
    Rows,
    /// The documents of a table of contents.
    Toctree,
    /// Skipped.
    Opaque,
}

/// Returns the row of a name, in any case: docutils, Sphinx, and common extensions. The name is empty unless
/// its argument or an option is a reference.
pub(super) fn row(name: &[u8]) -> (&'static str, Argument, DirectiveContents) {
    use Argument as A;
    use DirectiveContents as C;
    match &*name.to_ascii_lowercase() {
        b"csv-table" => ("csv-table", A::Text, C::Rows),
        b"figure" => ("figure", A::Uri, C::Body),
        b"image" => ("image", A::Uri, C::Body),
        b"include" => ("include", A::Path, C::Body),
        b"kernel-include" => ("kernel-include", A::Path, C::Body),
        b"literalinclude" => ("literalinclude", A::Path, C::Opaque),
        b"raw" => ("raw", A::Other, C::Opaque),
        b"toctree" => ("toctree", A::Other, C::Toctree),
        b"line-block" | b"parsed-literal" => ("", A::Other, C::Text),
        b"admonition" | b"attention" | b"caution" | b"centered" | b"danger" | b"deprecated"
        | b"epigraph" | b"error" | b"highlights" | b"hint" | b"hlist" | b"impl-detail"
        | b"important" | b"list-table" | b"note" | b"pull-quote" | b"replace" | b"rubric"
        | b"seealso" | b"sidebar" | b"table" | b"tip" | b"todo" | b"topic" | b"versionadded"
        | b"versionchanged" | b"versionremoved" | b"warning" => ("", A::Text, C::Body),
        b"inheritance-diagram" => ("", A::Other, C::Opaque),
        b"argparse" | b"blockdiag" | b"click" | b"code" | b"code-block" | b"code-cell"
        | b"command-output" | b"date" | b"default-role" | b"digraph" | b"doctest" | b"graph"
        | b"graphviz" | b"highlight" | b"index" | b"ipython" | b"jinja" | b"jupyter-execute"
        | b"kernel-render" | b"math" | b"mermaid" | b"meta" | b"nwdiag" | b"packetdiag"
        | b"plantuml" | b"plot" | b"productionlist" | b"program-output" | b"prompt" | b"role"
        | b"rst-class" | b"runblock" | b"seqdiag" | b"sourcecode" | b"tabularcolumns"
        | b"testcleanup" | b"testcode" | b"testoutput" | b"testsetup" | b"title" | b"uml"
        | b"unicode" | b"wavedrom" | b"yaml" | b"youtube" => ("", A::Other, C::Opaque),
        _ => ("", A::Other, C::Body),
    }
}
