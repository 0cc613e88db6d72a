#!/usr/bin/env python3
"""Compares what uriscan finds in EPUB, OOXML and ODF with a reading by zipfile and lxml: packages.py FILE_OR_DIRECTORY...

Run by hand: `pip install lxml`, a binary in $URISCAN or target/release/uriscan, and files from anywhere. Compared are
the references of each member: of EPUB those of OPF, NCX, SMIL and the usual attributes of XHTML and SVG, of OOXML the
targets of relationships, instructions of fields (joined over runs) and locations in sheets, of ODF every xlink:href of
content.xml and styles.xml. Members that are not well-formed are left out. Exit 1 if there is any difference."""
import collections, json, os, pathlib, re, subprocess, sys, zipfile

from lxml import etree

BIN = os.path.abspath(os.environ.get('URISCAN', 'target/release/uriscan'))
XLINK = '{http://www.w3.org/1999/xlink}'
RELATIONSHIP = '{http://schemas.openxmlformats.org/package/2006/relationships}Relationship'
WORD = ('http://schemas.openxmlformats.org/wordprocessingml/2006/main', 'http://purl.oclc.org/ooxml/wordprocessingml/main')
SHEET = ('http://schemas.openxmlformats.org/spreadsheetml/2006/main', 'http://purl.oclc.org/ooxml/spreadsheetml/main')
XHTML = {'a': ['href'], 'img': ['src'], 'link': ['href'], 'script': ['src'], 'source': ['src'], 'audio': ['src'],
         'video': ['src', 'poster'], 'iframe': ['src'], 'area': ['href'], 'object': ['data'], 'embed': ['src'],
         'track': ['src'], 'blockquote': ['cite'], 'q': ['cite'], 'ins': ['cite'], 'del': ['cite']}
SVG = {'a', 'image', 'use', 'lineargradient', 'radialgradient', 'pattern', 'textpath', 'filter', 'mpath', 'script', 'feimage'}
PARSER = etree.XMLParser(resolve_entities=True, no_network=True, huge_tree=True, load_dtd=False)


def kind_of(path):
    extension = path.suffix.lower()
    if extension == '.epub':
        return 'epub'
    return 'odf' if extension.startswith('.o') else 'ooxml'


def resource(instruction):
    """The resource of an instruction of a field, if it names one."""
    match = re.match(r'\s*(HYPERLINK|INCLUDEPICTURE)\b(.*)', instruction, re.I | re.S)
    words = iter(re.findall(r'"((?:[^"\\]|\\.)*)"|(\S+)', match.group(2))) if match else ()
    for quoted, bare in words:
        if not bare.startswith('\\'):
            return quoted or bare
        if bare[1:2].lower() in ('lot' if match.group(1).upper() == 'HYPERLINK' else 'c'):
            next(words, None)


def of_epub(root):
    for element in root.iter(etree.Element):
        name = etree.QName(element)
        local, space = name.localname, name.namespace
        if space == 'http://www.idpf.org/2007/opf' and local in ('item', 'reference', 'link'):
            yield element.get('href')
        elif space == 'http://www.daisy.org/z3986/2005/ncx/' and local == 'content':
            yield element.get('src')
        elif space == 'http://www.w3.org/ns/SMIL' and local in ('text', 'audio', 'video', 'img'):
            yield element.get('src')
        elif space == 'http://www.w3.org/1999/xhtml':
            yield from (element.get(attribute) for attribute in XHTML.get(local, []))
        elif space == 'http://www.w3.org/2000/svg' and local.lower() in SVG:
            yield from (element.get(attribute) for attribute in ('href', XLINK + 'href'))


def of_ooxml(root):
    fields = []
    for element in root.iter(etree.Element):
        name = etree.QName(element)
        word = '{%s}' % name.namespace
        if element.tag == RELATIONSHIP:
            yield element.get('Target')
        elif name.namespace in WORD and name.localname == 'fldSimple':
            yield resource(element.get(word + 'instr') or '')
        elif name.namespace in WORD and name.localname == 'fldChar':
            state = element.get(word + 'fldCharType')
            if state == 'begin':
                fields.append('')
            elif fields and state in ('separate', 'end'):
                yield resource(fields[-1] or '')
                fields[-1] = None
                if state == 'end':
                    fields.pop()
        elif name.namespace in WORD and name.localname == 'instrText':
            if not fields:
                yield resource(element.text or '')
            elif fields[-1] is not None:
                fields[-1] += element.text or ''
        elif name.namespace in SHEET and name.localname == 'hyperlink':
            if not any(key.endswith('}id') for key in element.keys()):
                yield element.get('location')
        yield element.get(XLINK + 'href')


def of_odf(root):
    for element in root.iter(etree.Element):
        if element.get(XLINK + 'type') in (None, 'simple', 'locator'):
            yield element.get(XLINK + 'href')


def expected(path, kind):
    found, broken = collections.Counter(), set()
    with zipfile.ZipFile(path) as package:
        for name in package.namelist():
            extension = name.rsplit('.', 1)[-1].lower()
            if kind == 'epub':
                is_read = extension in ('opf', 'ncx', 'xhtml', 'xht', 'html', 'htm', 'svg', 'xml', 'smil')
                is_read, read = is_read and not name.startswith('META-INF/'), of_epub
            elif kind == 'odf':
                is_read, read = name.rsplit('/', 1)[-1] in ('content.xml', 'styles.xml'), of_odf
            else:
                is_read, read = extension in ('xml', 'rels', 'vml') and name != '[Content_Types].xml', of_ooxml
            if not is_read:
                continue
            try:
                root = etree.fromstring(package.read(name), PARSER)
            except etree.XMLSyntaxError:
                broken.add(name.replace('\\', '/') if kind == 'ooxml' else name)
                continue
            values = (value.strip(' \t\r\n') for value in read(root) if value)
            # Some programs write paths as Windows does.
            member = name.replace('\\', '/') if kind == 'ooxml' else name
            found.update((member, value) for value in values if value)
    return found, broken


def is_compared(link, kind):
    """Whether the reading of EPUB here knows the attribute."""
    element, attribute = (link['element'] or '').lower(), link['attribute']
    if kind != 'epub':
        return True
    known = SVG | {'item', 'reference', 'content', 'text', 'audio', 'video', 'img', 'link'}
    is_known = attribute in XHTML.get(element, []) or element in known and attribute in ('href', 'src', 'xlink:href')
    return link['context'] == 'attribute' and is_known


def main():
    paths = [pathlib.Path(argument) for argument in sys.argv[1:]]
    files = [file for path in paths for file in (sorted(path.rglob('*')) if path.is_dir() else [path])]
    totals, differing = collections.Counter(), 0
    for path in (file for file in files if zipfile.is_zipfile(file)):
        kind = kind_of(path)
        wanted, broken = expected(path, kind)
        output = subprocess.run([BIN, '--json', str(path)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
        links = [link for link in map(json.loads, output.splitlines()) if link['type'] == 'link']
        links = [link for link in links if link['member'] not in broken and '!' not in link['member']]
        got = collections.Counter((link['member'], link['reference']) for link in links if is_compared(link, kind))
        totals.update({kind: 1, kind + ' references': sum(wanted.values())})
        for sign, rest in (('-', wanted - got), ('+', got - wanted)):
            for (member, reference), count in sorted(rest.items()):
                print(f'{path}!{member}: {sign}{count} {reference!r}')
        differing += wanted != got
    print(', '.join(f'{count} {name}' for name, count in sorted(totals.items())) + f'; {differing} packages differ')
    sys.exit(differing > 0)


main()
