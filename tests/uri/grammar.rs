//! The grammars of RFC 2396 Appendix A, RFC 3986 Appendix A and RFC 1738 section 5, and a matcher.
//!
//! The rows are those of the RFCs. The matcher maps a set of positions to the set of positions that
//! an element of the grammar can reach, so that every derivation is tried once.

use std::collections::BTreeMap;

/// RFC 2396 Appendix A.
const RFC2396: &str = r##"
URI-reference = [ absoluteURI | relativeURI ] [ "#" fragment ]
absoluteURI   = scheme ":" ( hier_part | opaque_part )
relativeURI   = ( net_path | abs_path | rel_path ) [ "?" query ]
hier_part     = ( net_path | abs_path ) [ "?" query ]
opaque_part   = uric_no_slash *uric
uric_no_slash = unreserved | escaped | ";" | "?" | ":" | "@" | "&" | "=" | "+" | "$" | ","
net_path      = "//" authority [ abs_path ]
abs_path      = "/"  path_segments
rel_path      = rel_segment [ abs_path ]
rel_segment   = 1*( unreserved | escaped | ";" | "@" | "&" | "=" | "+" | "$" | "," )
scheme        = alpha *( alpha | digit | "+" | "-" | "." )
authority     = server | reg_name
reg_name      = 1*( unreserved | escaped | "$" | "," | ";" | ":" | "@" | "&" | "=" | "+" )
server        = [ [ userinfo "@" ] hostport ]
userinfo      = *( unreserved | escaped | ";" | ":" | "&" | "=" | "+" | "$" | "," )
hostport      = host [ ":" port ]
host          = hostname | IPv4address
hostname      = *( domainlabel "." ) toplabel [ "." ]
domainlabel   = alphanum | alphanum *( alphanum | "-" ) alphanum
toplabel      = alpha | alpha *( alphanum | "-" ) alphanum
IPv4address   = 1*digit "." 1*digit "." 1*digit "." 1*digit
port          = *digit
path_segments = segment *( "/" segment )
segment       = *pchar *( ";" param )
param         = *pchar
pchar         = unreserved | escaped | ":" | "@" | "&" | "=" | "+" | "$" | ","
query         = *uric
fragment      = *uric
uric          = reserved | unreserved | escaped
reserved      = ";" | "/" | "?" | ":" | "@" | "&" | "=" | "+" | "$" | ","
unreserved    = alphanum | mark
mark          = "-" | "_" | "." | "!" | "~" | "*" | "'" | "(" | ")"
escaped       = "%" hex hex
hex           = digit | "A" | "B" | "C" | "D" | "E" | "F" | "a" | "b" | "c" | "d" | "e" | "f"
alphanum      = alpha | digit
alpha         = lowalpha | upalpha
lowalpha      = %x61-7A
upalpha       = %x41-5A
digit         = %x30-39
"##;

/// RFC 3986 Appendix A, with the core rules of RFC 2234 that it uses.
const RFC3986: &str = r##"
URI           = scheme ":" hier-part [ "?" query ] [ "#" fragment ]
hier-part     = "//" authority path-abempty / path-absolute / path-rootless / path-empty
URI-reference = URI / relative-ref
relative-ref  = relative-part [ "?" query ] [ "#" fragment ]
relative-part = "//" authority path-abempty / path-absolute / path-noscheme / path-empty
scheme        = ALPHA *( ALPHA / DIGIT / "+" / "-" / "." )
authority     = [ userinfo "@" ] host [ ":" port ]
userinfo      = *( unreserved / pct-encoded / sub-delims / ":" )
host          = IP-literal / IPv4address / reg-name
port          = *DIGIT
IP-literal    = "[" ( IPv6address / IPvFuture  ) "]"
IPvFuture     = "v" 1*HEXDIG "." 1*( unreserved / sub-delims / ":" )
IPv6address   = 6( h16 ":" ) ls32 / "::" 5( h16 ":" ) ls32 / [ h16 ] "::" 4( h16 ":" ) ls32 / [ *1( h16 ":" ) h16 ] "::" 3( h16 ":" ) ls32 / [ *2( h16 ":" ) h16 ] "::" 2( h16 ":" ) ls32 / [ *3( h16 ":" ) h16 ] "::" h16 ":" ls32 / [ *4( h16 ":" ) h16 ] "::" ls32 / [ *5( h16 ":" ) h16 ] "::" h16 / [ *6( h16 ":" ) h16 ] "::"
h16           = 1*4HEXDIG
ls32          = ( h16 ":" h16 ) / IPv4address
IPv4address   = dec-octet "." dec-octet "." dec-octet "." dec-octet
dec-octet     = DIGIT / %x31-39 DIGIT / "1" 2DIGIT / "2" %x30-34 DIGIT / "25" %x30-35
reg-name      = *( unreserved / pct-encoded / sub-delims )
path-abempty  = *( "/" segment )
path-absolute = "/" [ segment-nz *( "/" segment ) ]
path-noscheme = segment-nz-nc *( "/" segment )
path-rootless = segment-nz *( "/" segment )
path-empty    = 0pchar
segment       = *pchar
segment-nz    = 1*pchar
segment-nz-nc = 1*( unreserved / pct-encoded / sub-delims / "@" )
pchar         = unreserved / pct-encoded / sub-delims / ":" / "@"
query         = *( pchar / "/" / "?" )
fragment      = *( pchar / "/" / "?" )
pct-encoded   = "%" HEXDIG HEXDIG
unreserved    = ALPHA / DIGIT / "-" / "." / "_" / "~"
sub-delims    = "!" / "$" / "&" / "'" / "(" / ")" / "*" / "+" / "," / ";" / "="
ALPHA         = %x41-5A / %x61-7A
DIGIT         = %x30-39
HEXDIG        = DIGIT / "A" / "B" / "C" / "D" / "E" / "F"
"##;

/// RFC 1738 section 5.
const RFC1738: &str = r##"
otherurl      = scheme ":" schemepart
scheme        = 1*[ lowalpha | digit | "+" | "-" | "." ]
schemepart    = *xchar | ip-schemepart
ip-schemepart = "//" login [ "/" urlpath ]
login         = [ user [ ":" password ] "@" ] hostport
hostport      = host [ ":" port ]
host          = hostname | hostnumber
hostname      = *[ domainlabel "." ] toplabel
domainlabel   = alphadigit | alphadigit *[ alphadigit | "-" ] alphadigit
toplabel      = alpha | alpha *[ alphadigit | "-" ] alphadigit
alphadigit    = alpha | digit
hostnumber    = digits "." digits "." digits "." digits
port          = digits
user          = *[ uchar | ";" | "?" | "&" | "=" ]
password      = *[ uchar | ";" | "?" | "&" | "=" ]
urlpath       = *xchar
ftpurl        = "ftp://" login [ "/" fpath [ ";type=" ftptype ]]
fpath         = fsegment *[ "/" fsegment ]
fsegment      = *[ uchar | "?" | ":" | "@" | "&" | "=" ]
ftptype       = "A" | "I" | "D" | "a" | "i" | "d"
fileurl       = "file://" [ host | "localhost" ] "/" fpath
httpurl       = "http://" hostport [ "/" hpath [ "?" search ]]
hpath         = hsegment *[ "/" hsegment ]
hsegment      = *[ uchar | ";" | ":" | "@" | "&" | "=" ]
search        = *[ uchar | ";" | ":" | "@" | "&" | "=" ]
gopherurl     = "gopher://" hostport [ "/" [ gtype [ selector [ "%09" search [ "%09" gopher_string ] ] ] ] ]
gtype         = xchar
selector      = *xchar
gopher_string = *xchar
mailtourl     = "mailto:" encoded822addr
encoded822addr = 1*xchar
newsurl       = "news:" grouppart
grouppart     = "*" | group | article
group         = alpha *[ alpha | digit | "-" | "." | "+" | "_" ]
article       = 1*[ uchar | ";" | "/" | "?" | ":" | "&" | "=" ] "@" host
nntpurl       = "nntp://" hostport "/" group [ "/" digits ]
telneturl     = "telnet://" login [ "/" ]
waisurl       = waisdatabase | waisindex | waisdoc
waisdatabase  = "wais://" hostport "/" database
waisindex     = "wais://" hostport "/" database "?" search
waisdoc       = "wais://" hostport "/" database "/" wtype "/" wpath
database      = *uchar
wtype         = *uchar
wpath         = *uchar
prosperourl   = "prospero://" hostport "/" ppath *[ fieldspec ]
ppath         = psegment *[ "/" psegment ]
psegment      = *[ uchar | "?" | ":" | "@" | "&" | "=" ]
fieldspec     = ";" fieldname "=" fieldvalue
fieldname     = *[ uchar | "?" | ":" | "@" | "&" ]
fieldvalue    = *[ uchar | "?" | ":" | "@" | "&" ]
lowalpha      = %x61-7A
alpha         = lowalpha | %x41-5A
digit         = %x30-39
safe          = "$" | "-" | "_" | "." | "+"
extra         = "!" | "*" | "'" | "(" | ")" | ","
reserved      = ";" | "/" | "?" | ":" | "@" | "&" | "="
hex           = digit | "A" | "B" | "C" | "D" | "E" | "F" | "a" | "b" | "c" | "d" | "e" | "f"
escape        = "%" hex hex
unreserved    = alpha | digit | safe | extra
uchar         = unreserved | escape
xchar         = unreserved | reserved | escape
digits        = 1*digit
"##;

/// An element of a grammar.
#[derive(Clone)]
enum Element {
    Literal(String),
    /// One byte of a set.
    Set(Box<[bool; 256]>),
    Rule(&'static str),
    Alternatives(Vec<Element>),
    Sequence(Vec<Element>),
    Repetition(usize, usize, Box<Element>),
}

/// A grammar: its rows by name.
pub(super) struct Rows {
    rules: BTreeMap<&'static str, Element>,
    /// RFC 2234 section 2.3: literals are matched without regard to case.
    ignores_case: bool,
}

impl Rows {
    pub(super) fn rfc2396() -> Self {
        Self::parse(RFC2396, false)
    }

    pub(super) fn rfc3986() -> Self {
        Self::parse(RFC3986, true)
    }

    pub(super) fn rfc1738() -> Self {
        Self::parse(RFC1738, false)
    }

    fn parse(text: &'static str, ignores_case: bool) -> Self {
        let rows = text.lines().filter(|line| !line.is_empty());
        let rules = rows.map(|row| {
            let (name, definition) = row.split_once('=').expect("a row has a name");
            let mut parser = Parser(definition.trim());
            let element = parser.alternatives();
            assert!(parser.0.is_empty(), "{row} at {}", parser.0);
            (name.trim(), element)
        });
        let mut rows = Rows {
            rules: rules.collect(),
            ignores_case,
        };
        // Rules that are sets of bytes are looked up at once; such rules stand upon each other.
        for _ in 0..6 {
            let rules = rows.rules.iter();
            let simpler = rules.map(|(&name, element)| (name, rows.simplified(element)));
            rows.rules = simpler.collect();
        }
        rows
    }

    /// Replaces alternatives of one byte by a set.
    fn simplified(&self, element: &Element) -> Element {
        let all = |elements: &[Element]| -> Vec<Element> {
            elements.iter().map(|one| self.simplified(one)).collect()
        };
        match element {
            Element::Literal(literal) if literal.len() == 1 => {
                let byte = literal.as_bytes()[0];
                let mut set = Box::new([false; 256]);
                set[usize::from(byte)] = true;
                if self.ignores_case {
                    set[usize::from(byte.to_ascii_lowercase())] = true;
                    set[usize::from(byte.to_ascii_uppercase())] = true;
                }
                Element::Set(set)
            }
            Element::Rule(name) => match self.rules.get(name) {
                Some(set @ Element::Set(_)) => set.clone(),
                _ => element.clone(),
            },
            Element::Alternatives(elements) => {
                let mut elements = all(elements);
                let mut union = Box::new([false; 256]);
                elements.retain(|element| match element {
                    Element::Set(set) => {
                        union
                            .iter_mut()
                            .zip(set.iter())
                            .for_each(|(to, from)| *to |= from);
                        false
                    }
                    _ => true,
                });
                if union.contains(&true) {
                    elements.push(Element::Set(union));
                }
                match elements.len() {
                    1 => elements.remove(0),
                    _ => Element::Alternatives(elements),
                }
            }
            Element::Sequence(elements) => {
                let mut elements = all(elements);
                match elements.len() {
                    1 => elements.remove(0),
                    _ => Element::Sequence(elements),
                }
            }
            Element::Repetition(least, most, element) => {
                Element::Repetition(*least, *most, Box::new(self.simplified(element)))
            }
            other => other.clone(),
        }
    }

    /// Returns whether the rule derives the text, which is shorter than 64 bytes.
    pub(super) fn derives(&self, rule: &'static str, text: &[u8]) -> bool {
        assert!(text.len() < 64, "{}", text.escape_ascii());
        self.reach(&Element::Rule(rule), text, 1) >> text.len() & 1 == 1
    }

    /// Returns the positions that the element can reach from any of these, one bit each.
    fn reach(&self, element: &Element, text: &[u8], from: u64) -> u64 {
        if from == 0 {
            return 0;
        }
        match element {
            Element::Literal(literal) => literal.bytes().fold(from, |from, byte| {
                let equal = |other: u8| match self.ignores_case {
                    true => other.eq_ignore_ascii_case(&byte),
                    false => other == byte,
                };
                step(text, from, equal)
            }),
            Element::Set(set) => step(text, from, |byte| set[usize::from(byte)]),
            Element::Rule(name) => match self.rules.get(name) {
                Some(element) => self.reach(element, text, from),
                None => panic!("no rule {name}"),
            },
            Element::Alternatives(elements) => elements
                .iter()
                .fold(0, |all, element| all | self.reach(element, text, from)),
            Element::Sequence(elements) => elements
                .iter()
                .fold(from, |from, element| self.reach(element, text, from)),
            Element::Repetition(least, most, element) => {
                let mut positions = from;
                for _ in 0..*least {
                    positions = self.reach(element, text, positions);
                }
                let mut all = positions;
                for _ in *least..*most {
                    positions = self.reach(element, text, positions) & !all;
                    if positions == 0 {
                        break;
                    }
                    all |= positions;
                }
                all
            }
        }
    }
}

fn step(text: &[u8], from: u64, holds: impl Fn(u8) -> bool) -> u64 {
    let bytes = text.iter().enumerate();
    bytes.fold(0, |to, (at, &byte)| {
        to | u64::from(from >> at & 1 == 1 && holds(byte)) << (at + 1)
    })
}

/// The unparsed rest of a row.
struct Parser(&'static str);

impl Parser {
    fn alternatives(&mut self) -> Element {
        let mut alternatives = vec![self.sequence()];
        while self.0.starts_with(['|', '/']) {
            self.skip(1);
            alternatives.push(self.sequence());
        }
        Element::Alternatives(alternatives)
    }

    fn sequence(&mut self) -> Element {
        let mut elements = Vec::new();
        while !self.0.is_empty() && !self.0.starts_with(['|', '/', ')', ']']) {
            elements.push(self.repetition());
        }
        Element::Sequence(elements)
    }

    /// `<n>*<m>element`, or `<n>element`. In RFC 1738 brackets behind an asterisk only group.
    fn repetition(&mut self) -> Element {
        let least = self.number();
        if !self.0.starts_with('*') {
            return match least {
                Some(count) => Element::Repetition(count, count, Box::new(self.element())),
                None if self.0.starts_with('[') => {
                    Element::Repetition(0, 1, Box::new(self.element()))
                }
                None => self.element(),
            };
        }
        self.skip(1);
        let most = self.number().unwrap_or(usize::MAX);
        Element::Repetition(least.unwrap_or(0), most, Box::new(self.element()))
    }

    fn element(&mut self) -> Element {
        if let Some(rest) = self.0.strip_prefix('"') {
            let end = rest.find('"').expect("a literal is closed");
            self.skip(end + 2);
            return Element::Literal(rest[..end].to_owned());
        }
        if let Some(range) = self.0.strip_prefix("%x") {
            let byte = |digits| u8::from_str_radix(digits, 16).expect("hexadecimal digits");
            let (low, high) = (byte(&range[..2]), byte(&range[3..5]));
            self.skip(7);
            let mut set = Box::new([false; 256]);
            (low..=high).for_each(|byte| set[usize::from(byte)] = true);
            return Element::Set(set);
        }
        if self.0.starts_with(['(', '[']) {
            self.skip(1);
            let element = self.alternatives();
            assert!(self.0.starts_with([')', ']']), "{}", self.0);
            self.skip(1);
            return element;
        }
        let in_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
        let end = self.0.find(|c| !in_name(c)).unwrap_or(self.0.len());
        assert!(end > 0, "{}", self.0);
        let name = &self.0[..end];
        self.skip(end);
        Element::Rule(name)
    }

    fn number(&mut self) -> Option<usize> {
        let end = self.0.find(|c: char| !c.is_ascii_digit());
        let digits = &self.0[..end.unwrap_or(self.0.len())];
        let number = digits.parse().ok();
        self.0 = &self.0[digits.len()..];
        number
    }

    fn skip(&mut self, length: usize) {
        self.0 = self.0[length..].trim_start();
    }
}
