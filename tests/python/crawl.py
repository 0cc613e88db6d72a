"""Web archives from a seed."""

import gzip
import random
import zlib
from collections.abc import Iterator
from pathlib import Path


def host(number: int) -> str:
    """A host of the crawl; some have a www, one is an address."""
    if number == 0:
        return "192.0.2.1"
    return ("www." if number % 3 == 0 else "") + f"h{number}.example"


def page(draw: random.Random, hosts: int) -> tuple[str, bytes]:
    """A page: its URI, and its HTML."""
    links = "".join(
        f'<p>text {draw.random()} <a href="http://{host(draw.randrange(hosts))}/{draw.randrange(99)}">a</a>'
        f'<a href="{draw.randrange(99)}.html">b</a></p>'
        for _ in range(draw.randrange(20))
    )
    return f"http://{host(draw.randrange(hosts))}/{draw.randrange(1 << 30)}", f"<html>{links}</html>".encode()


def record(uri: str, body: bytes) -> bytes:
    """A response, as crawlers keep it."""
    http = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n" + body
    head = f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {uri}\r\nContent-Length: {len(http)}\r\n\r\n"
    return head.encode() + http + b"\r\n\r\n"


def archive(path: Path, pages: int, seed: int, hosts: int = 40) -> Path:
    """Writes an archive with a gzip member for each page."""
    draw = random.Random(seed)
    with path.open("wb") as file:
        for _ in range(pages):
            file.write(gzip.compress(record(*page(draw, hosts)), 1))
    return path


def records(path: Path) -> Iterator[int]:
    """Where the gzip members of an archive begin."""
    content = path.read_bytes()
    at = 0
    while at < len(content):
        yield at
        member = zlib.decompressobj(wbits=31)
        member.decompress(content[at:])
        at = len(content) - len(member.unused_data)
