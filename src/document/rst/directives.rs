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

#[derive(Clone, Copy, Debug)]
pub(super) struct Directive {
    /// The name, if its argument or an option is a reference.
    pub(super) name: &'static str,
    pub(super) argument: Argument,
    pub(super) contents: DirectiveContents,
}

impl Directive {
    /// Returns the kind of a name, in any case: docutils, Sphinx, and common extensions.
    pub(super) fn named(name: &[u8]) -> Directive {
        use Argument as A;
        use DirectiveContents as C;
        let (name, argument, contents) = match &*name.to_ascii_lowercase() {
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
            | b"seealso" | b"sidebar" | b"table" | b"tip" | b"todo" | b"topic"
            | b"versionadded" | b"versionchanged" | b"versionremoved" | b"warning" => {
                ("", A::Text, C::Body)
            }
            b"inheritance-diagram" => ("", A::Other, C::Opaque),
            b"argparse" | b"blockdiag" | b"click" | b"code" | b"code-block" | b"code-cell"
            | b"command-output" | b"date" | b"default-role" | b"digraph" | b"doctest"
            | b"graph" | b"graphviz" | b"highlight" | b"index" | b"ipython" | b"jinja"
            | b"jupyter-execute" | b"kernel-render" | b"math" | b"mermaid" | b"meta"
            | b"nwdiag" | b"packetdiag" | b"plantuml" | b"plot" | b"productionlist"
            | b"program-output" | b"prompt" | b"role" | b"rst-class" | b"runblock" | b"seqdiag"
            | b"sourcecode" | b"tabularcolumns" | b"testcleanup" | b"testcode" | b"testoutput"
            | b"testsetup" | b"title" | b"uml" | b"unicode" | b"wavedrom" | b"yaml"
            | b"youtube" => ("", A::Other, C::Opaque),
            _ => ("", A::Other, C::Body),
        };
        Directive {
            name,
            argument,
            contents,
        }
    }
}
