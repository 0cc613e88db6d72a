"""The queries of `corpus/queries`, run by DuckDB on tables of ours, which other libraries have read too."""

import re
import subprocess
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import duckdb
import polars
import pyarrow as pa
import pyarrow.parquet
import pytest

import uriscan
from conftest import ROOT
from tables import write_parquet

SITE = {
    "index.html": '<a href="a.html">a</a> <a href="missing.html#x">m</a> <a href="http://example.org/">o</a>',
    "a.html": '<a href="index.html?q#f">i</a> <a href="http://example.org/1">o</a> <a href="http://example.net/">n</a>',
    "alone.html": '<a href="alone.html">me</a>',
    "note.txt": "nothing",
}

MAIL = """From a@example.com Thu Jan  1 00:00:00 2026
Message-ID: <{}@example.com>
{}Date: {}

<http://example.com/1> <http://example.com/2>

"""


# The pages of a crawl: host n % HOSTS has every HOSTS-th page, and every tenth page is an error.
PAGES = 1200
HOSTS = 40


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes the tables that the queries name."""
    monkeypatch.chdir(tmp_path)
    Path("site").mkdir()
    for name, text in SITE.items():
        Path("site", name).write_text(text)
    Path("files.txt").write_bytes(subprocess.check_output([uriscan.binary(), "--files", "site"]))
    write_parquet("links.parquet", "--root=site=https://www.example.com/", "site")


def query(name: str) -> str:
    """A query by its name, or itself."""
    return name if " " in name else (ROOT / "corpus" / "queries" / f"{name}.sql").read_text()


def answer(name: str) -> list[tuple[Any, ...]]:
    """What a query answers."""
    return duckdb.execute(query(name)).fetchall()


@pytest.mark.usefixtures("site")
def test_most_linked_hosts() -> None:
    assert answer("most_linked_hosts") == [
        ("www.example.com", 4, 3),
        ("example.org", 2, 2),
        ("example.net", 1, 1),
    ]


@pytest.mark.usefixtures("site")
def test_broken_targets() -> None:
    assert answer("broken_targets") == [("site/index.html", 1, "https://www.example.com/missing.html#x")]


@pytest.mark.usefixtures("site")
def test_orphans() -> None:
    assert answer("orphans") == [("site/alone.html",), ("site/note.txt",)]


@pytest.mark.usefixtures("site")
def test_degrees() -> None:
    home = "https://www.example.com/"
    assert sorted(answer("degrees")) == [
        ("http://example.net/", 0, 1),
        ("http://example.org/", 0, 1),
        ("http://example.org/1", 0, 1),
        (home + "a.html", 3, 1),
        (home + "index.html", 3, 1),
        (home + "missing.html", 0, 1),
    ]


def test_mail_by_month_and_list(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    days = (
        "Thu, 01 Jan 2026 00:00:00 +0000",
        "Sat, 31 Jan 2026 23:59:59 +0000",
        "Sun, 01 Feb 2026 12:00:00 +0100",
    )
    text = "".join(
        MAIL.format(n, f"List-Id: <l{n % 2}.example.com>\n" if n % 5 else "", days[n % 3])
        for n in range(6000)
    )
    Path("list.mbox").write_text(text)
    write_parquet("links.parquet", "list.mbox")
    expected: Counter[tuple[str, str]] = Counter()
    for number in range(6000):
        expected[
            "2026-02" if number % 3 == 2 else "2026-01", f"l{number % 2}.example.com" if number % 5 else ""
        ] += 1
    found = {
        (month.strftime("%Y-%m"), name or ""): (links, messages)
        for month, name, links, messages in answer("mail_by_month_and_list")
    }
    assert found == {key: (2 * count, count) for key, count in expected.items()}


def uri(number: int) -> str:
    """The URI of a page."""
    host = number % HOSTS
    name = f"h{host}.example.{'com' if host % 2 else 'net'}"
    return f"http://{'www.' if host % 3 else ''}{name}/p{number}"


def status(number: int, *, later: bool = True) -> int:
    """What a crawl got; the earlier one has pages that the later one has not."""
    return 404 if number % 10 == 0 and (later or number % 20 == 0) else 200


def targets(number: int) -> list[tuple[str, str]]:
    """The links of a page with their texts: two inside, one to nothing, and some to others."""
    own = [(uri((number + HOSTS * step) % PAGES), "") for step in (1, 2)]
    others = [(uri((number * 7 + step) % PAGES) + "#top", f"t{step % 3}") for step in range(1, 6)]
    return [*own, (f"{uri(number)}-missing", "gone"), *others]


def relations(number: int) -> list[tuple[str, str, int]]:
    """The other relations of a page: kind, language, page."""
    if number % 4 == 0:
        return [("canonical", "", number), ("alternate", "de", number + 1)]
    return [
        ("canonical", "", number - number % 4),
        ("alternate", "EN", number - 1 if number % 4 == 1 else number),
    ]


def record(number: int, *, later: bool) -> bytes:
    """A page of a crawl."""
    links = "".join(f"<a href='{target}'>{text}</a>" for target, text in targets(number))
    head = "".join(
        f"<link rel='{kind}' hreflang='{code}' href='{uri(to)}'>" for kind, code, to in relations(number)
    )
    head = head.replace(" hreflang=''", "")
    http = f"HTTP/1.1 {status(number, later=later)} x\r\nContent-Type: text/html\r\n\r\n<html>{head}{links}"
    kind = "WARC/1.0\r\nWARC-Type: response\r\nWARC-Date: 2026-01-01T00:00:00Z"
    warc = f"{kind}\r\nWARC-Target-URI: {uri(number)}\r\nContent-Length: {len(http)}"
    return f"{warc}\r\n\r\n{http}\r\n\r\n".encode()


@pytest.fixture(scope="module")
def crawl(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tables of two crawls."""
    folder = tmp_path_factory.mktemp("crawl")
    for name, later in (("later", True), ("earlier", False)):
        # The later crawl has not all pages.
        numbers = [number for number in range(PAGES) if not (later and number % 30 == 1)]
        (folder / f"{name}.warc").write_bytes(b"".join(record(number, later=later) for number in numbers))
    write_parquet(f"{folder}/links.parquet", "--anchor-text", str(folder / "later.warc"))
    for name, archive in (("records", "later"), ("records-earlier", "earlier")):
        command = [uriscan.binary(), "records", "--format=parquet", f"-o{folder}/{name}.parquet"]
        subprocess.run([*command, str(folder / f"{archive}.warc")], check=True)
    return folder


SOURCES = {
    "parquet": None,
    "pyarrow": pa.Table.combine_chunks,
    "polars": polars.from_arrow,
    "pandas": pa.Table.to_pandas,
}


@pytest.fixture(params=SOURCES)
def source(request: pytest.FixtureRequest, crawl: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Asks a query of the tables of the crawl, which a library has read, or DuckDB itself."""
    monkeypatch.chdir(crawl)
    if request.param == "pandas":
        # The environment of the wheel has none.
        pytest.importorskip("pandas")
    connection = duckdb.connect()
    if convert := SOURCES[request.param]:
        for file in crawl.glob("*.parquet"):
            connection.register(file.name, convert(pa.parquet.read_table(file)))
    return lambda name: connection.execute(query(name)).fetchall()


def kept() -> list[int]:
    """The pages of the later crawl, errors too."""
    return [number for number in range(PAGES) if number % 30 != 1]


def host_of(target: str) -> str:
    """The host of a URI."""
    return target.split("/")[2]


def page_of(target: str) -> int | None:
    """The number of the page that a link leads to."""
    found = re.fullmatch(r".*/p(\d+)(#top)?", target)
    return int(found[1]) if found else None


def pairs() -> list[tuple[str, str]]:
    """All links of the later crawl, in `link` too, by page and target."""
    return [
        (uri(number), target)
        for number in kept()
        for target in [to for to, _ in targets(number)] + [uri(to) for _, _, to in relations(number)]
    ]


def test_the_table_is_large_and_has_batches_without_flags(source: Any) -> None:
    assert len(source("SELECT * FROM 'links.parquet'")) == len(pairs()) > 11_000
    assert source("SELECT count(*) FROM 'links.parquet' WHERE len(flags) > 0") == [(0,)]
    assert len(source("SELECT * FROM 'records.parquet'")) == len(kept())


def test_host_degrees(source: Any) -> None:
    edges = {(host_of(page), host_of(target)) for page, target in pairs()}
    leaving = Counter(one for one, other in edges if one != other)
    arriving = Counter(other for one, other in edges if one != other)
    expected = {host: (leaving[host], arriving[host]) for host in leaving | arriving}
    assert {host: degrees for host, *degrees in source("host_degrees")} == {
        host: list(degrees) for host, degrees in expected.items()
    }


def test_anchors(source: Any) -> None:
    expected: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    for number in kept():
        for target, text in targets(number):
            if text and host_of(target) != host_of(uri(number)):
                expected[target, text].append(host_of(uri(number)))
    found = {(target, text): (links, hosts) for target, text, links, hosts in source("anchors")}
    assert found == {key: (len(hosts), len(set(hosts))) for key, hosts in expected.items()}


def test_dead_internal_links(source: Any) -> None:
    alive = {uri(number) for number in kept() if status(number) < 400}
    dead = Counter(
        (uri(number), target)
        for number in kept()
        for target, _ in targets(number)
        if host_of(target) == host_of(uri(number)) and target.removesuffix("#top") not in alive
    )
    assert {(page, target): links for page, target, links in source("dead_internal_links")} == dead
    assert len(dead) > 1000


def test_rot(source: Any) -> None:
    expected: defaultdict[str, list[str]] = defaultdict(list)
    for page, target in pairs():
        number = page_of(target)
        if (
            number is not None
            and status(number, later=False) < 400
            and (number % 30 == 1 or status(number) >= 400)
        ):
            expected[uri(number)].append(page)
    found = {gone: (code, links, pages) for gone, code, links, pages in source("rot")}
    assert found == {
        gone: (None if int(gone.rpartition("/p")[2]) % 30 == 1 else 404, len(pages), len(set(pages)))
        for gone, pages in expected.items()
    }


def test_top_level_domains(source: Any) -> None:
    hosts = [host_of(target) for _, target in pairs()]
    links = Counter(host.rpartition(".")[2] for host in hosts)
    distinct = Counter(host.rpartition(".")[2] for host in set(hosts))
    assert {tld: rest for tld, *rest in source("top_level_domains")} == {
        tld: [count, 1, distinct[tld]] for tld, count in links.items()
    }


def test_canonical_and_hreflang(source: Any) -> None:
    edges = {
        (uri(number), "canonical" if kind == "canonical" else code.lower(), uri(to))
        for number in kept()
        for kind, code, to in relations(number)
    }
    canonical = {page: target for page, kind, target in edges if kind == "canonical"}
    translated = {(page, target) for page, kind, target in edges if kind != "canonical"}
    expected = {
        (
            page,
            kind,
            target,
            canonical.get(target, target) == target if kind == "canonical" else (target, page) in translated,
        )
        for page, kind, target in edges
    }
    assert set(source("canonical_and_hreflang")) == expected
    assert {agreed for *_, agreed in expected} == {True, False}


def reversed_name(host: str) -> str:
    """A host with its labels in reverse order."""
    return ".".join(reversed(host.split(".")))


def test_host_graph(source: Any) -> None:
    edges = Counter(
        (reversed_name(host_of(page)), reversed_name(host_of(target))) for page, target in pairs()
    )
    expected = {edge: count for edge, count in edges.items() if edge[0] != edge[1]}
    assert {(one, other): links for one, other, links in source("host_graph")} == expected


def test_domain_graph(source: Any) -> None:
    links: Counter[tuple[str, str]] = Counter()
    pages: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    for page, target in pairs():
        edge = tuple(".".join(host_of(name).split(".")[-2:]) for name in (page, target))
        if edge[0] != edge[1]:
            links[edge] += 1
            pages[edge].add(page)
    assert {(one, other): rest for one, other, *rest in source("domain_graph")} == {
        edge: [count, len(pages[edge])] for edge, count in links.items()
    }


def test_each_query_is_tested() -> None:
    names = {path.stem for path in (ROOT / "corpus" / "queries").glob("*.sql")}
    assert names <= {name.removeprefix("test_") for name in globals()}
