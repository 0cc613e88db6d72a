#!/usr/bin/env python3
"""Compares the references that uriscan finds in reStructuredText with those of docutils.

    URISCAN=target/release/uriscan tests/oracles/rst.py TREE... [-v]

Needs docutils. Directives and roles that docutils does not have are read as Sphinx reads them, or as
containers of body elements. -v prints every difference; the last lines count them.
"""
import collections
import json
import os
import re
import subprocess
import sys

from docutils import nodes, utils
from docutils.frontend import get_default_settings
from docutils.parsers.rst import Directive, Parser, directives, roles
from docutils.parsers.rst.directives import images

URISCAN = os.environ.get("URISCAN", "target/release/uriscan")
# Directives whose contents uriscan does not read.
OPAQUE = set("""argparse blockdiag click code code-block code-cell command-output date default-role digraph doctest
 graph graphviz highlight index inheritance-diagram ipython jinja jupyter-execute kernel-render math mermaid meta
 nwdiag packetdiag plantuml plot productionlist program-output prompt raw role rst-class runblock seqdiag sourcecode
 tabularcolumns testcleanup testcode testoutput testsetup title uml unicode wavedrom yaml youtube literalinclude""".split())
# Directives whose argument is text.
TEXT = set("""centered deprecated hlist impl-detail seealso todo versionadded versionchanged versionremoved""".split())
MADE = {"self", "genindex", "modindex", "search"}
TITLE = re.compile(r"^(.+?)\s*(?<!\x00)<([^<]*?)>$", re.DOTALL)


def file_node(path):
    return nodes.reference("", "", refuri=path, file=True)


class Options(dict):
    """The options of a directive that is not known: any."""

    def __contains__(self, name):
        return True

    def __getitem__(self, name):
        return lambda value: value

    def __bool__(self):
        return True


class Generic(Directive):
    optional_arguments = 1
    final_argument_whitespace = True
    has_content = True
    option_spec = Options()

    def run(self):
        name = self.name.lower()
        found = []
        if name == "toctree":
            for line in list(self.arguments) + list(self.content):
                for entry in line.split("\n"):
                    match = TITLE.match(entry.strip())
                    entry = match.group(2) if match else entry.strip()
                    glob = "glob" in self.options and any(mark in entry for mark in "*?[")
                    if entry and entry not in MADE and not glob:
                        found.append(file_node(entry))
        elif name in ("literalinclude", "include", "kernel-include"):
            if self.arguments:
                path = "".join(self.arguments[0].split("\n"))
                if not (path.startswith("<") and path.endswith(">")):
                    found.append(file_node(path))
        elif name not in OPAQUE:
            node = nodes.container()
            if self.arguments and name in TEXT:
                inline, messages = self.state.inline_text(self.arguments[0], self.lineno)
                node += inline
            elif self.arguments and "\n" in self.arguments[0]:
                rest = self.arguments[0].split("\n", 1)[1].split("\n")
                self.state.nested_parse(type(self.content)(rest, "argument"), 0, node)
            self.state.nested_parse(self.content, self.content_offset, node, match_titles=1)
            found.append(node)
        return found


class NoFile(Directive):
    """raw and csv-table with files would be read."""
    optional_arguments = 1
    final_argument_whitespace = True
    has_content = True
    option_spec = Options()

    def run(self):
        found = [file_node(self.options[name]) for name in ("file", "url") if name in self.options]
        if self.name == "csv-table":
            node = nodes.container()
            for line in list(self.arguments) + list(self.content):
                inline, messages = self.state.inline_text(line, self.lineno)
                node += inline
            found.append(node)
        return found


def generic_role(name, rawtext, text, lineno, inliner, options=None, content=None):
    if name.lower() in ("doc", "download") and not text.startswith("!"):
        match = TITLE.match(text)
        return [file_node(utils.unescape(match.group(2) if match else text))], []
    return [nodes.literal(rawtext, text)], []


known_directive, known_role = directives.directive, roles.role
HERE = {"image", "figure", "admonition", "table", "list-table", "topic", "sidebar", "rubric", "epigraph", "highlights",
        "pull-quote", "compound", "container", "parsed-literal", "line-block", "note", "tip", "hint", "important", "warning",
        "attention", "caution", "danger", "error", "replace", "unicode", "date", "contents", "sectnum", "header",
        "footer", "target-notes"}


def directive(name, language, document):
    if name.lower() in HERE:
        return known_directive(name, language, document)
    return (NoFile if name.lower() in ("raw", "csv-table") else Generic), []


def role(name, language, lineno, reporter):
    found, messages = known_role(name, language, lineno, utils.Reporter("", 5, 6)) if name else (None, [])
    if found and name.lower() in ("rfc-reference", "pep-reference", "rfc", "pep", "rfc_reference"):
        return generic_role, []
    return (found, []) if found else (generic_role, [])


def install():
    directives.directive = directive
    default = roles.role

    def patched(name, language, lineno, reporter):
        if not name:
            return default(name, language, lineno, reporter)
        return role(name, language, lineno, reporter)
    roles.role = patched


def expected(text):
    settings = get_default_settings(Parser)
    settings.report_level, settings.halt_level = 5, 6
    settings.file_insertion_enabled = settings.raw_enabled = False
    settings.warning_stream = open(os.devnull, "w")
    document = utils.new_document("x.rst", settings)
    Parser().parse(text, document)
    found = []
    for node in document.findall():
        if isinstance(node, nodes.image):
            if not node["uri"].endswith(".*"):
                found.append(node["uri"])
        elif isinstance(node, nodes.reference) and "refuri" in node:
            found.append(node["refuri"])
        elif isinstance(node, nodes.target) and "refuri" in node and not getattr(node, "referenced", 0):
            found.append(node["refuri"])
    return [uri for uri in found if uri and not (uri.startswith("mailto:") and uri not in text)]


def files(trees):
    for tree in trees:
        if os.path.isfile(tree):
            yield tree
        for folder, _, names in os.walk(tree):
            yield from (os.path.join(folder, name) for name in sorted(names) if name.endswith((".rst", ".rest")))


def ours(paths):
    found = collections.defaultdict(list)
    for start in range(0, len(paths), 200):
        command = [URISCAN, "--json", "-t", "rst"] + paths[start:start + 200]
        output = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
        for line in output.splitlines():
            record = json.loads(line)
            if record.get("type") == "link":
                found[record["file"] if "file" in record else record["path"]].append(record["reference"])
    return found


def main():
    install()
    verbose = "-v" in sys.argv
    paths = list(files([a for a in sys.argv[1:] if a != "-v"]))
    found = ours(paths)
    totals = collections.Counter()
    for path in paths:
        try:
            with open(path, encoding="utf-8") as file:
                text = file.read()
            theirs = collections.Counter(expected(text))
        except Exception as error:
            totals["failed"] += 1
            if verbose:
                print(f"{path}: {type(error).__name__}: {str(error)[:100]}")
            continue
        own = collections.Counter(found[path])
        totals["files"] += 1
        totals["references"] += sum(theirs.values())
        totals["the same"] += sum((own & theirs).values())
        totals["differing files"] += own != theirs
        for name, rest in (("only docutils", theirs - own), ("only uriscan", own - theirs)):
            totals[name] += sum(rest.values())
            if verbose:
                for uri, count in rest.items():
                    print(f"{path}: {name}: {uri!r}" + (f" x{count}" if count > 1 else ""))
    for name, count in totals.items():
        print(f"{name}: {count}")


main()
