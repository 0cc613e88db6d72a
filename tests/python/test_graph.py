"""Graphs of hosts and domains, against Common Crawl's rules for hosts, and ranks against networkx."""

import random
import re
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import idna
import networkx
import pyarrow.parquet
import pytest
from pyspark.sql import SparkSession

import crawl
import uriscan
from uriscan.jobs import domain_graph, host_graph
from uriscan.jobs._ranks import harmonic_centrality, pagerank

AUTHORITIES = [
    "example.com.",
    "user:pw@www.example.com:8080",
    "WWW.Example.COM.",
    "b\u00fccher.example",
    "B\u00dcCHER.example.:80",
    "xn--bcher-kva.example",
    "fa\u00df.example",
    "a_b.example.org",
    "-bad.example.org",
    "bad-.example.org",
    "_dmarc.example.org",
    "exa%zzmple.com",
    "%.example.com",
    "192.0.2.7",
    "user@192.0.2.7:80",
    "[2001:db8::1]",
    "localhost",
    "localhost.",
    "www.com",
    "www.www.example.net",
    "a..example.com",
    "x" * 64 + ".example.com",
    ".".join(["x" * 60] * 4) + ".example.com",
    "1.example.co.uk",
    "example.co.uk",
    "co.uk",
    "www.co.uk",
]

_LABEL = re.compile(r"[a-z0-9]([a-z0-9_-]{0,61}[a-z0-9])?", re.ASCII)


def reversed_host(uri: str) -> str | None:
    """The name of a host in the graphs of Common Crawl; None if it is no host there."""
    host = (urlsplit(uri).hostname or "").strip().lower()
    labels = host.removesuffix(".").split(".")
    if len(host) > 253 or re.fullmatch(r"\d{1,3}(\.\d{1,3}){3}", host) or len(labels) < 2:
        return None
    if labels[0] == "www" and len(labels) > 2:
        labels = labels[1:]
    try:
        labels = [label if _LABEL.fullmatch(label) else idna.encode(label).decode() for label in labels]
    except idna.IDNAError:
        return None
    return ".".join(reversed(labels)) if all(map(_LABEL.fullmatch, labels)) else None


def networkx_pagerank(graph: Any) -> dict[int, float]:
    """The PageRank of networkx, by its own Python: the public function needs scipy."""
    from networkx.algorithms.link_analysis.pagerank_alg import _pagerank_python

    ranks: dict[int, float] = _pagerank_python(graph, tol=1e-12, max_iter=1000)
    return ranks


@pytest.fixture(scope="module")
def links(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table of links between hosts of all kinds."""
    folder = tmp_path_factory.mktemp("graph")
    draw = random.Random(1)
    archive = folder / "pages.warc"
    with archive.open("wb") as file:
        for authority in AUTHORITIES:
            some = draw.sample(AUTHORITIES, 9)
            page = "".join(f"<a href='{draw.choice(['http', 'https'])}://{one}/x'>x</a>" for one in some)
            page += "<a href='mailto:a@example.com'>m</a><a href='//example.net/'>n</a><a href=#x>s</a>"
            escaped = f"http://{authority}/page"
            file.write(crawl.record(escaped, f"<meta charset=utf-8>{page}".encode()))
    table = uriscan.scan(archive, columns="all").read_all()
    assert len(table) > 300
    pyarrow.parquet.write_table(table, folder / "links.parquet")
    return folder / "links.parquet"


def lines(folder: Path) -> list[list[str]]:
    """The lines of the files of a folder, in the order of their names."""
    files = sorted(folder.glob("part-*"))
    return [line.split("\t") for file in files for line in file.read_text().splitlines()]


def pairs(links: Path) -> set[tuple[str, str]]:
    """The pairs of hosts of a table, by their URIs."""
    rows = pyarrow.parquet.read_table(links, columns=["target_uri", "target"]).to_pylist()
    named = [(reversed_host(row["target_uri"]), reversed_host(row["target"] or "")) for row in rows]
    return {(source, target) for source, target in named if source and target}


def test_hosts_are_those_of_common_crawl(cluster: SparkSession, links: Path, tmp_path: Path) -> None:
    output = tmp_path / "graph"
    host_graph.main(["--output", str(output), "--ranks", str(links)])
    expected = pairs(links)
    names = sorted({name for pair in expected for name in pair})
    assert "example.xn--bcher-kva" in names and "com.www" in names and "org.example.a_b" in names
    assert lines(output / "vertices") == [[str(number), name] for number, name in enumerate(names)]
    numbers = {name: number for number, name in enumerate(names)}
    edges = sorted((numbers[one], numbers[other]) for one, other in expected if one != other)
    assert lines(output / "edges") == [[str(one), str(other)] for one, other in edges]
    graph = networkx.DiGraph(edges)
    graph.add_nodes_from(range(len(names)))
    harmonic, pages = networkx.harmonic_centrality(graph), networkx_pagerank(graph)
    ranked = lines(output / "ranks")
    assert [row[0] for row in ranked] == [str(position) for position in range(1, len(names) + 1)]
    assert {row[4]: float(row[1]) for row in ranked} == pytest.approx(
        {name: harmonic[number] for name, number in numbers.items()}
    )
    assert {row[4]: float(row[3]) for row in ranked} == pytest.approx(
        {name: pages[number] for name, number in numbers.items()}
    )
    by_page = sorted(ranked, key=lambda row: int(row[2]))
    assert [float(row[3]) for row in by_page] == sorted((float(row[3]) for row in ranked), reverse=True)


def test_domains(cluster: SparkSession, links: Path, tmp_path: Path) -> None:
    output = tmp_path / "graph"
    domain_graph.main(["--output", str(output), "--ranks", str(links)])
    hosts: dict[str, set[str]] = {}

    def domain(name: str) -> str | None:
        labels = name.split(".")
        depth = 3 if name.startswith("uk.co") else 2
        return ".".join(labels[:depth]) if len(labels) >= depth else None

    expected = set()
    for source, target in pairs(links):
        for name in (source, target):
            if owner := domain(name):
                hosts.setdefault(owner, set()).add(name)
        if (one := domain(source)) and (other := domain(target)):
            expected.add((one, other))
    vertices = lines(output / "vertices")
    assert [name for _, name, _ in vertices] == sorted({name for pair in expected for name in pair})
    assert {name: int(count) for _, name, count in vertices} == {name: len(of) for name, of in hosts.items()}
    names = {number: name for number, name, _ in vertices}
    found = {(names[one], names[other]) for one, other in lines(output / "edges")}
    assert found == {(one, other) for one, other in expected if one != other}
    assert len(lines(output / "ranks")) == len(vertices)


@pytest.mark.parametrize("count", [1, 300, pytest.param(10_000, marks=pytest.mark.slow)])
def test_ranks_are_those_of_networkx(count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    if count < 1000:
        # Several blocks.
        monkeypatch.setattr("uriscan.jobs._ranks._BLOCK", 64)
    draw = random.Random(count)
    # Few have many links, and some none, as in the web.
    ends = [(draw.randrange(count), int(count * draw.random() ** 3)) for _ in range(count * 5)]
    edges = sorted({(one, other) for one, other in ends if one != other and one % 7})
    graph = networkx.DiGraph(edges)
    graph.add_nodes_from(range(count))
    expected = networkx_pagerank(graph)
    assert pagerank(count, edges) == pytest.approx([expected[number] for number in range(count)], rel=1e-6)
    expected = networkx.harmonic_centrality(graph)
    assert harmonic_centrality(count, edges) == pytest.approx([expected[number] for number in range(count)])
