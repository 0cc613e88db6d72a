//! The names of elements and attributes that rules name: an enumeration of each, and a hash
//! table that maps a name to its variant by its first eight bytes.

pub(super) const fn prefix(name: &[u8]) -> u64 {
    let mut prefix = 0;
    let mut at = 0;
    while at < name.len() && at < 8 {
        prefix |= (name[at].to_ascii_lowercase() as u64) << (8 * at);
        at += 1;
    }
    prefix
}

const fn slot(prefix: u64) -> usize {
    (prefix.wrapping_mul(0x60E4_66AB_7E28_AF55) >> 54) as usize
}

const SLOTS: usize = 1 << 10;

/// A hash table with open addressing, built at compile time.
struct NameTable<K> {
    keys: [u64; SLOTS],
    values: [K; SLOTS],
}

impl<K: Copy> NameTable<K> {
    /// Makes the table of names and their values; the first value is for no name.
    const fn new(names: &[&str], values: &[K]) -> Self {
        let mut table = NameTable {
            keys: [0; SLOTS],
            values: [values[0]; SLOTS],
        };
        let mut i = 1;
        while i < names.len() {
            let key = prefix(names[i].as_bytes());
            let mut slot = slot(key);
            while table.keys[slot] != 0 {
                slot = (slot + 1) % SLOTS;
            }
            table.keys[slot] = key;
            table.values[slot] = values[i];
            i += 1;
        }
        table
    }

    /// Returns the value of the name with these first eight bytes, in lower case, that `is_same` accepts.
    #[inline(always)]
    fn find(&self, key: u64, is_same: impl Fn(K) -> bool) -> K {
        let mut slot = slot(key);
        loop {
            let (known, value) = (self.keys[slot], self.values[slot]);
            if known == key && is_same(value) || known == 0 {
                return value;
            }
            slot = (slot + 1) % SLOTS;
        }
    }
}

/// Whether two names of one length are the same after their first eight bytes.
#[cold]
#[inline(never)]
fn ends_alike(name: &[u8], known: &str) -> bool {
    name[8..].eq_ignore_ascii_case(&known.as_bytes()[8..])
}

#[inline(always)]
fn lower_eight(bytes: &[u8], start: usize, end: usize) -> u64 {
    match bytes[start..].first_chunk::<8>() {
        // Shifts out the bytes after a shorter name.
        Some(chunk) => {
            let cut = 64 - 8 * (end - start).min(8) as u32;
            let word = u64::from_le_bytes(*chunk).unbounded_shl(cut);
            lower(word.unbounded_shr(cut))
        }
        None => prefix(&bytes[start..end]),
    }
}

#[inline]
fn lower(word: u64) -> u64 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    let seven = word & (0x7F * ONES);
    let from_a = seven + (0x80 - b'A' as u64) * ONES;
    let past_z = seven + (0x7F - b'Z' as u64) * ONES;
    let upper = (from_a & !past_z & !word) & (0x80 * ONES);
    word | upper >> 2
}

macro_rules! names {
    ($(#[$doc:meta])* $kind:ident, $names:ident, $table:ident: $($variant:ident = $name:literal,)*) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        #[repr(u8)]
        #[allow(clippy::enum_variant_names)]
        pub(super) enum $kind { #[default] Other, $($variant,)* }

        static $names: &[&str] = &["", $($name,)*];
        static $table: NameTable<$kind> = NameTable::new($names, &$kind::ALL);

        impl $kind {
            pub(super) const COUNT: usize = [$kind::Other, $($kind::$variant,)*].len();
            pub(super) const ALL: [$kind; Self::COUNT] = [$kind::Other, $($kind::$variant,)*];

            #[inline]
            pub(super) fn of(name: &[u8]) -> $kind {
                Self::at(name, 0, name.len())
            }

            /// Returns the variant of the name `bytes[start..end]`, in any case.
            #[inline(always)]
            pub(super) fn at(bytes: &[u8], start: usize, end: usize) -> $kind {
                let (key, length) = (lower_eight(bytes, start, end), end - start);
                $table.find(key, |kind| {
                    let known = kind.name();
                    known.len() == length && (length <= 8 || ends_alike(&bytes[start..end], known))
                })
            }

            /// Returns the name in lower case; empty for `Other`.
            pub(super) const fn name(self) -> &'static str {
                $names[self as usize]
            }
        }
    };
}

names! {
    Element, ELEMENTS, ELEMENT_TABLE:
    // Elements of the attribute table.
    A = "a", Applet = "applet", Area = "area", Audio = "audio", Base = "base",
    Bgsound = "bgsound", Blockquote = "blockquote", Body = "body", Button = "button",
    Command = "command", Del = "del", Embed = "embed", Form = "form", Frame = "frame",
    Head = "head", Html = "html", Iframe = "iframe", Ilayer = "ilayer", Img = "img",
    Input = "input", Ins = "ins", Layer = "layer", Link = "link", Menuitem = "menuitem",
    Meta = "meta", Object = "object", Param = "param", Q = "q", Script = "script",
    Source = "source", Style = "style", Table = "table", Tbody = "tbody", Td = "td",
    Tfoot = "tfoot", Th = "th", Thead = "thead", Tr = "tr", Track = "track", Video = "video",
    Xml = "xml",
    // Elements that switch the tokenizer or that the tree builder may drop.
    Caption = "caption", Col = "col", Colgroup = "colgroup", Frameset = "frameset",
    Image = "image", Math = "math", Noembed = "noembed", Noframes = "noframes",
    Noscript = "noscript", Plaintext = "plaintext", Select = "select", Svg = "svg",
    Template = "template", Textarea = "textarea", Title = "title", Xmp = "xmp",
    // Elements of SVG and MathML.
    AltGlyph = "altglyph", Animate = "animate", AnimateMotion = "animatemotion",
    AnimateTransform = "animatetransform", Annotation = "annotation",
    AnnotationXml = "annotation-xml", ColorProfile = "color-profile", Csymbol = "csymbol",
    Cursor = "cursor", Desc = "desc", Discard = "discard", FeImage = "feimage",
    Filter = "filter", Font = "font", FontFaceUri = "font-face-uri",
    ForeignObject = "foreignobject", GlyphRef = "glyphref", LinearGradient = "lineargradient",
    Malignmark = "malignmark", Mglyph = "mglyph", Mi = "mi", Mn = "mn", Mo = "mo",
    Mpath = "mpath", Ms = "ms", Mtext = "mtext", Pattern = "pattern",
    RadialGradient = "radialgradient", Set = "set", TextPath = "textpath", Tref = "tref",
    Use = "use",
    // Elements that break out of SVG and MathML.
    B = "b", Big = "big", Br = "br", Center = "center", Code = "code", Dd = "dd", Div = "div",
    Dl = "dl", Dt = "dt", Em = "em", H1 = "h1", H2 = "h2", H3 = "h3", H4 = "h4", H5 = "h5",
    H6 = "h6", Hr = "hr", I = "i", Li = "li", Listing = "listing", Menu = "menu",
    Nobr = "nobr", Ol = "ol", P = "p", Pre = "pre", Ruby = "ruby", S = "s", Small = "small",
    Span = "span", Strike = "strike", Strong = "strong", Sub = "sub", Sup = "sup", Tt = "tt",
    U = "u", Ul = "ul", Var = "var",
    // Elements of HTML without effect on the tree builder's namespaces.
    Abbr = "abbr", Address = "address", Article = "article", Aside = "aside", Bdi = "bdi",
    Bdo = "bdo", Cite = "cite", Details = "details", Dfn = "dfn", Figcaption = "figcaption",
    Figure = "figure", Footer = "footer", Header = "header", Kbd = "kbd", Main = "main",
    Mark = "mark", Nav = "nav", Samp = "samp", Section = "section", Summary = "summary",
    Time = "time", Wbr = "wbr",
}

names! {
    Attribute, ATTRIBUTE_NAMES, ATTRIBUTE_TABLE:
    Action = "action", Altimg = "altimg", Archive = "archive",
    Attributionsrc = "attributionsrc", Background = "background", Cite = "cite",
    Classid = "classid", ClipPath = "clip-path", Codebase = "codebase", Content = "content",
    Cursor = "cursor", Data = "data", DefinitionUrl = "definitionurl", Dynsrc = "dynsrc",
    Fill = "fill", Filter = "filter", Formaction = "formaction", Href = "href", Icon = "icon",
    Imagesrcset = "imagesrcset", Itemid = "itemid", Itemtype = "itemtype",
    Longdesc = "longdesc", Lowsrc = "lowsrc", Manifest = "manifest", Marker = "marker",
    MarkerEnd = "marker-end", MarkerMid = "marker-mid", MarkerStart = "marker-start",
    Mask = "mask", Ping = "ping", Poster = "poster", Profile = "profile", Src = "src",
    Srcdoc = "srcdoc", Srcset = "srcset", Stroke = "stroke", Style = "style", Value = "value",
    XlinkHref = "xlink:href",
    // Conditions.
    Charset = "charset", Color = "color", Encoding = "encoding", Face = "face",
    HttpEquiv = "http-equiv", Id = "id", ItemProp = "itemprop", Name = "name",
    Property = "property", ShadowRootMode = "shadowrootmode", Size = "size", Type = "type",
    Valuetype = "valuetype",
    // References by convention only.
    About = "about", DataHref = "data-href", DataLazy = "data-lazy",
    DataLazySrcset = "data-lazy-srcset", DataOriginal = "data-original",
    DataOriginalSet = "data-original-set", DataSrc = "data-src", DataSrcset = "data-srcset",
    DataUri = "data-uri", Onclick = "onclick", Resource = "resource", Vocab = "vocab",
}

impl Element {
    /// Whether the start tag ends SVG and MathML (WHATWG HTML 13.2.6.5), apart from `font` with
    /// attributes.
    pub(super) fn breaks_out(self) -> bool {
        use Element::*;
        (B as u8..=Var as u8).contains(&(self as u8))
            || [Blockquote, Body, Embed, Head, Img, Meta, Table].contains(&self)
    }

    /// Returns the element of a name of up to seven bytes: these bytes in lower case, the first one lowest.
    #[inline(always)]
    pub(super) fn of_key(key: u64) -> Self {
        ELEMENT_TABLE.find(key, |_| true)
    }

    const fn set(elements: &[Element]) -> [bool; Element::COUNT] {
        let mut set = [false; Element::COUNT];
        let mut i = 0;
        while i < elements.len() {
            set[elements[i] as usize] = true;
            i += 1;
        }
        set
    }

    /// Whether the start tag does more than create an element, by the rules for HTML content.
    #[inline]
    pub(super) fn is_structural(self) -> bool {
        use Element::{Base, Image, Meta};
        self.is_table_part() || self.has_effect() && !matches!(self, Base | Image | Meta)
    }

    /// Whether the start tag does more than hold attributes, outside templates and but for parts of tables.
    #[inline(always)]
    pub(super) fn has_effect(self) -> bool {
        use Element::*;
        static EFFECTS: [bool; Element::COUNT] = Element::set(&[
            Base, Body, Form, Frame, Frameset, Head, Html, Iframe, Image, Math, Meta, Noembed,
            Noframes, Noscript, Plaintext, Script, Select, Style, Svg, Table, Template, Textarea,
            Title, Xmp,
        ]);
        EFFECTS[self as usize]
    }

    /// Whether the start tag is dropped outside a table.
    pub(super) fn is_table_part(self) -> bool {
        use Element::*;
        matches!(
            self,
            Caption | Col | Colgroup | Tbody | Td | Tfoot | Th | Thead | Tr
        )
    }
}

#[cfg(test)]
#[path = "../../../tests/unit/document/html/names.rs"]
mod tests;
