#!/usr/bin/env python3
"""Compares what uriscan finds in PDF files with what pypdf finds: pdf.py [-v] FILE_OR_DIRECTORY...

Run by hand: `pip install pypdf cryptography`, a binary in $URISCAN or target/release/uriscan, and files from anywhere.
Compared are the texts of URI actions with the pages that they are on, in order, and the files that GoToR, Launch and
GoToE actions name. An audit of a page with a link to every page and to every named destination that pypdf knows, and to
one of each that it does not know, compares the destinations. -v prints each difference. Exit 1 if there is any."""
import collections, html, json, os, pathlib, subprocess, sys, tempfile, urllib.parse, warnings

import pypdf
from pypdf.generic import ArrayObject, ByteStringObject, DictionaryObject, IndirectObject, TextStringObject

warnings.simplefilter('ignore')
import logging
logging.getLogger('pypdf').setLevel(logging.CRITICAL)

# Before the names of files, which are not compared as URIs.
FILE = '\0file:'
BIN = os.path.abspath(os.environ.get('URISCAN', 'target/release/uriscan'))


def resolved(value):
    for _ in range(32):
        if not isinstance(value, IndirectObject):
            return value
        value = value.get_object()


def raw(value):
    """The bytes of a string as text, a character each."""
    value = resolved(value)
    if isinstance(value, TextStringObject):
        return value.original_bytes.decode('latin-1')
    return bytes(value).decode('latin-1') if isinstance(value, ByteStringObject) else None


def file_of(value):
    value = resolved(value)
    if isinstance(value, DictionaryObject):
        for key in ('/UF', '/F'):
            if key in value:
                return resolved(value[key])
        return None
    return value if isinstance(value, (TextStringObject, ByteStringObject)) else None


def chain(action, found, page):
    waiting, seen = [action], set()
    while waiting:
        value = waiting.pop()
        mark = (value.idnum, value.generation) if isinstance(value, IndirectObject) else id(value)
        value = resolved(value)
        if mark in seen or not isinstance(value, DictionaryObject):
            continue
        seen.add(mark)
        kind = value.get('/S')
        if kind in ('/URI', None) and raw(value.get('/URI')) is not None:
            found.append((page, raw(value['/URI'])))
        elif kind in ('/GoToR', '/Launch', '/GoToE') and '/F' in value:
            name = file_of(value['/F'])
            if name is not None:
                found.append((page, FILE + str(name)))
        following = resolved(value.get('/Next'))
        if isinstance(following, ArrayObject):
            waiting.extend(reversed(following))
        elif following is not None:
            waiting.append(value.raw_get('/Next'))


def actions(holder, found, page):
    holder = resolved(holder)
    if not isinstance(holder, DictionaryObject):
        return
    if '/A' in holder:
        chain(holder.raw_get('/A'), found, page)
    additional(holder, found, page)


def additional(holder, found, page):
    more = resolved(holder.get('/AA'))
    if isinstance(more, DictionaryObject):
        for key in more:
            chain(more.raw_get(key), found, page)


def by_pypdf(path):
    reader = pypdf.PdfReader(path)
    if reader.is_encrypted:
        return None
    found = []
    for number, page in enumerate(reader.pages, 1):
        for annotation in resolved(page.get('/Annots')) or []:
            actions(annotation, found, number)
        additional(page, found, number)
    root = reader.trailer['/Root']
    if isinstance(resolved(root.get('/OpenAction')), DictionaryObject):
        chain(root.raw_get('/OpenAction'), found, None)
    additional(root, found, None)
    waiting, seen = [], set()
    outlines = resolved(root.get('/Outlines'))
    if isinstance(outlines, DictionaryObject) and '/First' in outlines:
        waiting.append(outlines.raw_get('/First'))
    while waiting:
        item = waiting.pop()
        if not isinstance(item, IndirectObject) or item.idnum in seen:
            continue
        seen.add(item.idnum)
        actions(item, found, None)
        value = resolved(item)
        if isinstance(value, DictionaryObject):
            waiting.extend(value.raw_get(key) for key in ('/Next', '/First') if key in value)
    # Names of the dictionary before PDF 1.2 come with their slash.
    return found, len(reader.pages), sorted(name.removeprefix('/') for name in reader.named_destinations)


def by_uriscan(path):
    run = subprocess.run([BIN, '--json', path], stdin=subprocess.DEVNULL, capture_output=True, timeout=300)
    records = [json.loads(line) for line in run.stdout.splitlines()]
    found = []
    for record in records:
        if record['type'] == 'link':
            member = record['member']
            found.append((int(member.split()[1]) if member else None, record['reference']))
    return found, sorted({r['code'] for r in records if r['type'] == 'diagnostic'})


def same(one, other):
    """Whether a string of pypdf is a reference of uriscan."""
    if one[0] != other[0]:
        return False
    if not one[1].startswith(FILE):
        text = one[1].encode('latin-1')
        if text[:2] == b'\xfe\xff':
            return text[2:].decode('utf-16-be', 'replace') == other[1]
        return text.decode('utf-8', 'replace') == other[1]
    return urllib.parse.unquote(other[1].removeprefix('./')) == urllib.parse.unquote(one[1][len(FILE):])


def main():
    verbose = '-v' in sys.argv
    paths = []
    for name in (a for a in sys.argv[1:] if a != '-v'):
        path = pathlib.Path(name)
        paths += sorted(path.rglob('*.pdf')) if path.is_dir() else [path]
    classes = collections.Counter()
    page = []
    links = destinations = 0
    expected_broken = set()

    def differ(kind, path, detail=''):
        classes[kind] += 1
        if verbose:
            print('%s: %s %s' % (path, kind, detail))

    for path in paths:
        try:
            theirs = by_pypdf(path)
        except Exception as error:
            theirs = error
        ours, codes = by_uriscan(path)
        for code in codes:
            classes['diagnostic ' + code] += 1
        if theirs is None:
            if codes != ['package.encrypted']:
                differ('encrypted, and not said so', path, codes)
            continue
        if isinstance(theirs, Exception):
            differ('pypdf fails', path, '%s; uriscan: %d links %s' % (theirs, len(ours), codes))
            continue
        found, pages, names = theirs
        links += len(found)
        if len(found) != len(ours):
            differ('number of links', path, '%d by pypdf, %d by uriscan %s' % (len(found), len(ours), codes))
        else:
            for one, other in zip(found, ours):
                if not same(one, other):
                    differ('text of a link', path, '%r %r' % (one, other))
                    break
        uri = path.resolve().as_uri()
        destinations += len(names)
        for fragment in ['page=%d' % n for n in (1, pages)] + ['nameddest=' + urllib.parse.quote(n, safe='') for n in names]:
            page.append(uri + '#' + fragment)
        for fragment in ('page=%d' % (pages + 1), 'nameddest=of-no-file'):
            page.append(uri + '#' + fragment)
            expected_broken.add(uri + '#' + fragment)
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, 'index.html'), 'w') as out:
            out.writelines('<a href="%s">x</a>\n' % html.escape(uri) for uri in page)
        run = subprocess.run([BIN, 'audit', '--root', '/=file:///', '--format', 'jsonl', folder + '/index.html'],
                             capture_output=True, timeout=3000)
        broken = set()
        for line in run.stdout.splitlines():
            record = json.loads(line)
            if record.get('type') == 'finding':
                broken.add(record['reference'])
        for uri in sorted(broken - expected_broken):
            differ('destination that uriscan does not know', uri)
        for uri in sorted(expected_broken - broken):
            differ('destination that pypdf does not know', uri)
    print('%d files, %d links, %d named destinations by pypdf' % (len(paths), links, destinations))
    for kind, count in classes.most_common():
        print('%6d %s' % (count, kind))
    sys.exit(1 if classes else 0)


main()
