//! The fragments of hostile documents. `%` stands for a number, different in each reference.

/// Tags and fragments that belong to one part of the tree builder.
pub(crate) struct Theme {
    pub(crate) names: &'static [&'static str],
    /// Whole pieces, used as they are.
    pub(crate) pieces: &'static [&'static str],
}

#[rustfmt::skip]
pub(crate) static THEMES: &[Theme] = &[
    // Flow content, formatting elements, implied end tags.
    Theme {
        names: &["a", "a", "b", "i", "font", "nobr", "p", "div", "span", "address", "article", "h1", "h6", "pre",
            "listing", "li", "ul", "dd", "dt", "center", "hr", "br", "img", "image", "area", "map", "embed", "object",
            "applet", "param", "marquee", "video", "audio", "source", "track", "picture", "blockquote", "q", "ins",
            "del", "code", "tt", "ruby", "rt", "rp", "wbr", "keygen", "bgsound", "main", "x-item", "unknown"],
        pieces: &["</p>", "</br>", "</a>", "</b>", "</body>", "</html>", "<a href=%><b><p></a>", "<b><i></b><a href=%></i>"],
    },
    // Tables.
    Theme {
        names: &["table", "table", "tr", "td", "th", "tbody", "thead", "tfoot", "caption", "col", "colgroup", "a", "form",
            "input", "select", "b", "template", "style", "script", "base", "div"],
        pieces: &["<table>", "<tr>", "<td>", "</td>", "</tr>", "</table>", "</caption>", "</colgroup>", "<input type=hidden>",
            "<table><tr><td><base href=/cell%/></td></tr><base href=/foster%/></table>", "<table>x<a href=%>"],
    },
    // Templates and shadow roots.
    Theme {
        names: &["template", "template", "template", "col", "tr", "td", "table", "a", "base", "div", "form", "style",
            "script", "frameset", "body", "html", "head", "caption", "tbody", "span", "select", "option", "svg"],
        pieces: &["</template>", "</template>", "<template><col>", "<template shadowrootmode=open>", "<div><template shadowrootmode=closed>",
            "<p><template shadowrootmode=OPEN>", "<template shadowrootmode=x>", "<svg><template>", "<template><tr>"],
    },
    // Foreign content, integration points and breakouts.
    Theme {
        names: &["svg", "svg", "math", "math", "g", "path", "use", "image", "a", "a", "style", "script", "title", "desc",
            "foreignobject", "foreignObject", "lineargradient", "textPath", "feImage", "mi", "mo", "mn", "ms", "mtext",
            "mglyph", "malignmark", "annotation-xml", "annotation", "csymbol", "mrow", "font", "p", "div", "b", "img",
            "table", "tr", "td", "base", "br", "h1", "span", "var", "input", "select", "template", "body", "head", "frame",
            "set", "animate", "filter", "cursor", "font-face-uri", "title", "textarea", "xmp", "noscript", "iframe"],
        pieces: &["</svg>", "</math>", "</p>", "</br>", "</foreignObject>", "</desc>", "</title>", "</mi>", "</g>", "</div>",
            "<![CDATA[", "]]>", "<![CDATA[<a href=no>]]>", "<![CDATA[x]]]>", "<![CDATA[>]]>", "<svg/>", "<math/>",
            "<annotation-xml encoding=text/html>", "<annotation-xml encoding=Application/XHTML+xml>",
            "<annotation-xml encoding=x>", "<font color=x>", "<font size=1>", "<font x=y>", "<svg><a xlink:href=% href=%>",
            "<math><annotation-xml><svg>", "<svg><style>url(%)&amp;", "<svg><style><![CDATA[a{b:url(%)}]]></style>",
            "<math><mi><mglyph src=%>", "<svg><desc><a href=%>", "<svg></p><a href=%>", "<svg></br><a href=%>"],
    },
    // Framesets.
    Theme {
        names: &["frameset", "frameset", "frame", "frame", "noframes", "body", "html", "head", "a", "p", "div", "base", "br"],
        pieces: &["<frameset>", "</frameset>", "</noframes>", "</html>", "<frame src=%>", " ", "text", "<p>", "</body>"],
    },
    // Forms and select.
    Theme {
        names: &["form", "form", "button", "input", "select", "option", "optgroup", "textarea", "fieldset", "label",
            "datalist", "hr", "a", "div", "table", "tr", "td", "template", "script", "svg", "isindex"],
        pieces: &["</form>", "</form>", "</select>", "</option>", "</button>", "<form action=%>", "<select>", "<select><a href=%>",
            "<select><select><a href=%>", "<select><input src=%>", "<select><textarea>", "<div><form action=%></div>"],
    },
    // Text that is not markup.
    Theme {
        names: &["script", "script", "style", "title", "textarea", "xmp", "iframe", "noembed", "noframes", "noscript",
            "a", "a", "pre", "listing"],
        pieces: &["</script>", "</script", "</SCRIPT\n>", "</script/>", "</script x='>'>", "<!--", "-->", "--!>", "--", "<script",
            "<script>", "<script >", "<script/", "<!-- <script> ", "</style>", "</title>", "</TITLE >", "</textarea>", "</xmp>", "</iframe>",
            "</noembed>", "</noframes>", "</noscript>", "</plaintext>", "<plaintext>", "<!-->", "<!--->", "</scripty>", "<a href=%>",
            "<noscript><a href=%></noscript>", "<noscript><base href=/ns%/></noscript>", "&lt;a href=no&gt;", "<", "</"],
    },
    // Comments and declarations.
    Theme {
        names: &["a", "img", "p"],
        pieces: &["<!-- <a href=no> -->", "<!-->", "<!--->", "<!---->", "<!----!>", "<!---!>", "<!--!>", "<!-- --!>", "<!-- -- -->",
            "<!-- --- >", "<!-- <!-- -->", "<!--", "-->", "--!>", "<!->", "<!>", "<!x>", "<!doctype html>", "<!DOCTYPE a \"b>\" c>",
            "<!doctype", "<?php echo '<a href=no>' ?>", "<?>", "</>", "</ a>", "</3 <a href=no>", "<![CDATA[ <a href=%> ]]>",
            "<![cdata[ > ]]>", "<!--[if IE]><a href=no><![endif]-->", "<![if !IE]>", "<![endif]>", "< a href=no>", "<1>", "<<", "<\0a href=no>"],
    },
    // The structure of a document.
    Theme {
        names: &["html", "html", "head", "head", "body", "body", "base", "base", "link", "meta", "title", "style", "script",
            "noscript", "a", "p", "basefont"],
        pieces: &["<!doctype html>", "</head>", "</body>", "</html>", "<html>", "<head>", "<body>", " ", "\n", "x",
            "<base href=/b%/>", "<base href>", "<base target=x>", "<base href='data:,%'>", "<base href='javascript:%'>",
            "<base href='https://o%.example/d/'>", "<base href='mailto:a@b'>", "<head><noscript><base href=/n%/></noscript>",
            "<head profile='% %'>", "<html manifest=%>", "<html style='a:url(%)'>", "<body background=% style='a:url(%)'>"],
    },
    // Elements with special values.
    Theme {
        names: &["img", "source", "link", "meta", "style", "script", "object", "applet", "param", "iframe", "a", "area", "div", "video"],
        pieces: &["</style>", "</script>", "</object>", "</iframe>"],
    },
];

/// Attributes whose value is one reference.
#[rustfmt::skip]
pub(crate) static REFERENCES: &[&str] = &[
    "href", "href", "href", "src", "src", "background", "itemid", "action", "formaction", "cite", "data", "poster",
    "longdesc", "lowsrc", "dynsrc", "manifest", "profile", "codebase", "classid", "archive", "icon", "altimg",
    "definitionurl", "xlink:href", "value", "usemap", "ping", "itemtype", "attributionsrc", "code", "xml:base",
];

/// Attributes with CSS values.
pub(crate) static STYLES: &[&str] = &["style", "style", "fill", "mask", "cursor", "marker-end"];

/// Attributes that affect others, or break tags.
#[rustfmt::skip]
pub(crate) static PLAIN: &[&str] = &[
    "class=c", "id='a b'", "type=hidden", "type=text/css", "type=''", "type=x", "type=importmap", "type=speculationrules",
    "valuetype=ref", "valuetype=REF", "rel=stylesheet", "http-equiv=refresh", "encoding=text/html", "shadowrootmode=open",
    "color=red", "itemscope", "name=x", "/", "title=\">\"", "title='<a href=no>'", "\"", "'", "=", "=x", "<b", "x\"href=no",
    "alt=`", "a\u{e9}href=no", "title=\"\n\r\n\"", "charset=utf-8", "a=b/", "b='\"'", "c=\"'\"",
];

/// References.
#[rustfmt::skip]
pub(crate) static VALUES: &[&str] = &[
    "%", "%", "%", "%", "%", "%", "", " ", " % ", "%\n", "\r\n%\r", "%\0", "a b%", "../%", "/%", "//h%.example/", "///h%.example/p",
    "https://o.example/%", "http:%", "https:%", "?q%", "#f%", "%?\u{e9}#\u{e9}", "\u{e9}%", "javascript:%", "mailto:a%@example.com",
    "data:,%", "https://[%", "https://a:99999/%", "tel:%", "a:%", "%&amp;b", "%?a&copy=1", "%&copy", "%&copy;", "%&notit;", "%&notin;",
    "%&#x2F;a", "&#47;%", "%&#128;", "%&#0;", "%&#xD800;", "%&#x110000;", "%&#;", "%&#x;", "%&", "%&a", "%&AMP", "%&AMP=", "%&lt", "%&ltx",
    "%&NotEqualTilde;", "%&ampamp;", "%&amp;amp;", "%&hearts=1", "%&#13;&#10;", "%&#9;", "%'", "%\"", "%<a", "%>", "%`", "%=", "%\\", "\\%", "%^",
    "%,%", "% %", "%, %", "%|%", "%&quot;x", "%&apos;x", "&colon;%", "%/", "%/>", "\u{feff}%", "\u{a0}%", "\u{3000}%\u{2028}",
];

/// Fragments of srcset values.
#[rustfmt::skip]
pub(crate) static SRCSET: &[&str] = &[
    "%", "%", "%", " ", " ", ",", ", ", ",,", "\n", "\t", " 1x", " 2x", " 100w", " 5h", " 5w 5h", " 5h 5w", " 1x 2x", " 1w 2x", " 0w", " 01w",
    " -0x", " -1x", " +1x", " 1e3x", " .5x", " 5.x", " 1E-2x", " x", " w", " 2q", " (a, b)", " (", ")", " 1x,", "data:,%", "\u{a0}", " 1.0w", "&#32;", "\u{c}",
];

/// Fragments of CSS.
#[rustfmt::skip]
pub(crate) static CSS: &[&str] = &[
    "url(%)", "url(%)", "url( % )", "url('%')", "url(\"%\")", "URL(%)", "Url( '%' )", "url(%", "url('%", "url('%'", "url(% x)", "url(%'x)", "url(%(x)",
    "url()", "url('')", "url( )", "url(%\\)x)", "url('%\\'x')", "url(\\25 %)", "url('%\\\n')", "url('%\n')", "url(%\n)", "u\\72l(%)", "\\75 rl(%)",
    "url/**/(no)", "url (no)", "xurl(no)", "-url(no)", "#url(no)", "1url(no)", "@url(no)", "src('%')", "src(%)", "SRC( \"%\" )", "src(var(--x))",
    "image-set('%' 1x, '%' 2x)", "image-set(url(%) 1x, '%' type('no'))", "-webkit-image-set(\"%\" 1x)", "image-set(a('no') '%')",
    "@import '%';", "@import \"%\" screen;", "@import url(%);", "@IMPORT'%'", "@import/**/ '%';", "@import x '%';", "@namespace '%';", "@namespace p url(no);",
    "@namespace \"no\"", "@font-face{src:url(%)}", "@media x{", "/* url(no) */", "/*", "*/", "'url(no)'", "\"url(no)\"", "\"", "'", "{", "}", "(", ")", "[", "]", ";", ":",
    "a", "a{b:", "--x:", "\\", "\n", "<!--", "-->", "&amp;", "&quot;", "\u{e9}", "\0", "\u{c}", "url(\u{1}%)", "format('no')",
    "image('%')", "IMAGE( ltr \"%\", red)", "@supports (x: url(no)) {", "@layer a;", "@layer a {", "@charset \"x\";", "@import url(%) supports(x: url(no));",
    "background: url(%)", "Mask-Image:url('%');", "p { --Logo : url(%) }", "@font-face { SRC: url(%) format('no'), url(\"%\")", "url('%' a)", "a/**/:url(%)", "*b:url(%)",
    "1a:url(%)", "-1:url(%)", "-:url(%)", "--:url(%)", "\\62 ackground:url(%)", "@-moz-document url(no){", "url(%)/*# sourceMappingURL=no */",
];

/// Fragments of refresh values.
#[rustfmt::skip]
pub(crate) static REFRESH: &[&str] = &[
    "0", "5", "0;", "0,", "0 ", "1.5;", ".5;", ".", "+1", "-1", ";", ",", " ", "\n", "url=", "URL=", "url", "ur", "u", "=", "url = ", "'", "\"", "%", "%", "%", "x",
    "0;url=%", "0;url='%'", "0; URL = \"%\" x", "0;url=javascript:%", "0;url=", "\u{a0}", "&#32;",
];

/// Contents of data scripts.
#[rustfmt::skip]
pub(crate) static DATA: &[&str] = &[
    r#"{"imports":{"a":"./%","/%":"https://o.example/%","b":"bare"},"scopes":{"/s%/":{"c":"../%"}},"integrity":{"./%":"sha384-x"}}"#,
    r#" {"scopes":{"./%":{}},"imports":{"\u002f%":"/%"}} "#,
    r#"{"imports":{"x":"./%"}"#,
    r#"{"imports":["./no"],"other":{"./no":"./no"}}"#,
    r#"{"prefetch":[{"source":"list","urls":["%","/%"]},{"where":{"href_matches":"/no"}}],"prerender":[{"urls":["%"],"eagerness":"eager"}]}"#,
    r#"{"prefetch":[{"urls":["%",""]}]} x"#,
    "[]", "", "null", "a.b('<a href=no>')",
];

/// Fragments of srcdoc values.
#[rustfmt::skip]
pub(crate) static SRCDOC: &[&str] = &[
    "<a href=%>", "<base href=in%/><a href=%>", "<base href='https://o%.example/'>", "<img src='%'>", "&amp;lt;a href=no>", "<template><a href=%></template>",
    "<frameset><frame src=%></frameset>", "text", "<style>a{b:url(%)}</style>", "<svg><a xlink:href='%'/></svg>", "<iframe srcdoc='&lt;a href=%>'>",
    "&lt;a href=%&gt;", "&amp;", "<a href=%&amp;amp;b>", "<table><a href=%>", "<script>", "<!--",
];

/// Declarations of an encoding.
#[rustfmt::skip]
pub(crate) static ENCODINGS: &[&str] = &[
    "<meta charset=utf-8>", "<meta charset=windows-1251>", "<meta charset=shift_jis>", "<meta charset=gbk>", "<meta charset=iso-2022-jp>",
    "<meta charset=utf-16le>", "<meta charset=x-user-defined>", "<meta charset=nonsense>", "<meta http-equiv=content-type content='text/html; charset=big5'>",
    "<meta content='a charset = \"koi8-r\"' http-equiv=Content-Type>", "<!-- <meta charset=gbk> -->", "<?xml version='1.0' encoding='euc-kr'?>",
    "<script>'<meta charset=euc-jp>'</script>", "<title><meta charset=gbk></title>", "<p title='<meta charset=gbk>'>", "<meta/charset=latin1/>", "<link charset=gbk>",
    "<meta name=charset content=gbk>", "<meta http-equiv=content-type content='charset=gbk' charset=x>",
];

/// Labels declared by the transport.
#[rustfmt::skip]
pub(crate) static TRANSPORTS: &[&str] = &[
    "utf-8", "windows-1252", "windows-1251", "shift_jis", "gbk", "gb18030", "big5", "euc-jp", "euc-kr", "iso-2022-jp", "utf-16le", "utf-16be",
    "replacement", "x-user-defined", "koi8-r", "nonsense", " UTF-8 ",
];

/// Bytes that break names, tags and encodings.
#[rustfmt::skip]
pub(crate) static BYTES: &[&[u8]] = &[
    b"<", b">", b"\"", b"'", b"=", b"/", b"&", b"!", b"-", b" ", b"\n", b"\r", b"\0", b"\x0c", b";", b"#", b"?", b"]", b"\xe9", b"\x81", b"\x81\x5c", b"\xe3\x81",
    b"\xff", b"\xef\xbb\xbf", b"\xff\xfe", b"\x1b$B", b"\x1b(B", b"\x80", b"\xc3\xa9", b"\xf0\x9f\x98\x80",
];

/// Text between the name of an end tag and the `>`.
pub(crate) static END_TAG_REST: &[&str] = &[
    "",
    "",
    "",
    "",
    "",
    " ",
    "\n",
    "/",
    " title='>'",
    " href=no",
    " a=\">\"",
    "x",
];

/// Separators before an attribute.
#[rustfmt::skip]
pub(crate) static BETWEEN: &[&str] = &[" ", " ", " ", " ", "\n", "\t", "/", " / ", "\r\n", "\u{c}"];

/// Text before the `>` of a start tag.
#[rustfmt::skip]
pub(crate) static BEFORE_CLOSE: &[&str] = &["", "", "", " ", " ", "\n", "\t", " /", "\r\n", "\u{c}"];

/// Character data.
#[rustfmt::skip]
pub(crate) static TEXT: &[&str] = &["text", " ", "\n", "x", "&amp;", "&", ">", "\0", "\u{e9}", "\r\n"];

/// Fragments for every theme.
#[rustfmt::skip]
pub(crate) static ANYWHERE: &[&str] = &["<base href=/%/>", "<a href=%>", "<a href=%>", "<a href=%>", "<img src=%>", "<base href='https://o.example/%'>"];
