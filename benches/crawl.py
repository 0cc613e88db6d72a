"""Measures how fast web archives become tables of links, for crawl.md.

    python benches/crawl.py crawl.warc.gz           # the command: WARC, and WET and WAT made from it
    python benches/crawl.py --peer crawl.warc.gz    # FastWARC, resiliparse and turbohtml: needs the packages

Megabytes are those of the compressed file, seconds those of a processor: what else runs on the machine
changes little.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

TURNS = 3


def main() -> None:
    """Prints a line for each kind of archive."""
    parser = argparse.ArgumentParser()
    parser.add_argument("archive", type=Path, help="a WARC, compressed record by record")
    parser.add_argument("--peer", action="store_true")
    arguments = parser.parse_args()
    print(f"load {os.getloadavg()[0]:.1f}, {os.cpu_count()} cores, {time.strftime('%Y-%m-%d')}")
    if arguments.peer:
        again = [sys.executable, __file__, str(arguments.archive)]
        show("FastWARC alone", arguments.archive, again, "read")
        show("with resiliparse", arguments.archive, again, "resiliparse")
        show("with turbohtml", arguments.archive, again, "turbohtml")
        return
    with tempfile.TemporaryDirectory() as folder:
        made = {"WARC": arguments.archive, "WET": Path(folder, "c.wet.gz"), "WAT": Path(folder, "c.wat.gz")}
        make(arguments.archive, made["WET"], wet)
        make(arguments.archive, made["WAT"], wat)
        for name, path in made.items():
            for columns in ("core", "all"):
                binary = os.environ.get("URISCAN_BINARY", "uriscan")
                flags = ["-j1", "--format=arrow", f"--columns={columns}", "-o/dev/null"]
                command = [binary, *flags, str(path)]
                show(f"{name}, {columns}", path, command)
                for form in ("arrow", "parquet"):
                    written = Path(folder, form)
                    output = [f"--format={form}", f"--columns={columns}", f"-o{written}"]
                    if subprocess.run([binary, *output, str(path)], check=False).returncode == 0:
                        print(f"{name}, {columns}: {written.stat().st_size / 1e6:.1f} MB as {form}")
            show(f"{name}, gzip -dc", path, ["gzip", "-dc", str(path)])


def show(name: str, path: Path, command: list[str], task: str = "") -> None:
    """Prints the median of some turns."""
    seconds = []
    for _ in range(TURNS):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        environment = {**os.environ, "CRAWL_TASK": task}
        output = subprocess.PIPE if task else subprocess.DEVNULL
        done = subprocess.run(command, stdout=output, stderr=subprocess.DEVNULL, env=environment, check=False)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
        found = done.stdout.decode().strip() if task else ""
    size = path.stat().st_size / 1e6
    middle = statistics.median(seconds)
    print(f"{name:20} {size:8.1f} MB {middle:7.2f} s {size / middle:7.1f} MB/s {found}", flush=True)


def pages(archive: Path) -> Iterator[tuple[str, bytes]]:
    """Yields the URI and the body of each response."""
    from fastwarc.warc import ArchiveIterator, WarcRecordType

    with archive.open("rb") as file:
        for record in ArchiveIterator(file, parse_http=True, record_types=WarcRecordType.response):
            yield record.headers.get("WARC-Target-URI") or "", record.reader.read()


def make(archive: Path, path: Path, content: Callable[[str, bytes], tuple[str, bytes]]) -> None:
    """Writes an archive with a record for each page of another one."""
    with path.open("wb") as file:
        for uri, page in pages(archive):
            kind, body = content(uri, page)
            head = f"WARC/1.0\r\n{kind}\r\nWARC-Target-URI: {uri}\r\nContent-Length: {len(body)}\r\n\r\n"
            file.write(gzip.compress(head.encode() + body + b"\r\n\r\n", 6))


def wet(_uri: str, page: bytes) -> tuple[str, bytes]:
    """The text of a page."""
    from resiliparse.extract.html2text import extract_plain_text

    text = extract_plain_text(page.decode("utf-8", "replace")).encode()
    return "WARC-Type: conversion\r\nContent-Type: text/plain", text


def wat(uri: str, page: bytes) -> tuple[str, bytes]:
    """The metadata of a page, with its links."""
    links = [{"path": f"{tag.upper()}@/{name}", "url": value} for tag, name, value in attributes(page)]
    metadata = {"HTTP-Response-Metadata": {"HTML-Metadata": {"Head": {}, "Links": links}}}
    header = {"WARC-Type": "response", "WARC-Target-URI": uri}
    envelope = {"Envelope": {"WARC-Header-Metadata": header, "Payload-Metadata": metadata}}
    return "WARC-Type: metadata\r\nContent-Type: application/json", json.dumps(envelope).encode()


def attributes(page: bytes) -> Iterator[tuple[str, str, str]]:
    """Yields the attributes of a page that hold links, with their elements."""
    from resiliparse.parse.html import HTMLTree, NodeType

    # A walk of the tree: iterating over a collection of the library takes time of the square of its length.
    for node in HTMLTree.parse_from_bytes(page).document:
        if node.type == NodeType.ELEMENT:
            for name in ("href", "src"):
                value = node.getattr(name)
                if value is not None:
                    yield node.tag, name, value


def peer(archive: Path, task: str) -> int:
    """Reads an archive as programs of Python do, and returns how many links it has."""
    from urllib.parse import urljoin

    if task == "turbohtml":
        import turbohtml

    count = 0
    for uri, page in pages(archive):
        if task == "turbohtml":
            document = turbohtml.parse(page)
            document.resolve_links(uri)
            count += len(document.links())
        elif task == "resiliparse":
            for _, _, value in attributes(page):
                try:
                    urljoin(uri, value)
                except ValueError:
                    pass
                count += 1
    return count


if __name__ == "__main__":
    if os.environ.get("CRAWL_TASK"):
        print(peer(Path(sys.argv[1]), os.environ["CRAWL_TASK"]), "links")
    else:
        main()
