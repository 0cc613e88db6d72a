"""Writes the graph of registered domains of a table of links, in the form of Common Crawl's web graphs.

    spark-submit domain_graph.py --output graph links

The table and the output are those of `host_graph`, with a third column in `graph/vertices`: how many hosts a
domain has. Hosts that are public suffixes have no registered domain.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from pyspark import StorageLevel
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 - the name that Spark's own pages give it

from uriscan.jobs.host_graph import argument_parser, graph, host, write


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the job, and returns its exit code."""
    arguments = argument_parser(__doc__).parse_args(argv)
    spark = SparkSession.builder.appName("uriscan domain graph").getOrCreate()
    links = spark.read.parquet(arguments.links)
    vertices, edges = graph(domain_pairs(links).persist(StorageLevel.MEMORY_AND_DISK))
    vertices = vertices.join(host_counts(links, arguments.keep_www), "rev_name")
    write(vertices.select("id", "rev_name", "hosts"), edges, arguments.output, arguments.ranks)
    return 0


def domain_pairs(links: DataFrame) -> DataFrame:
    """Returns the pairs of domains of pages and of their targets, reversed, each pair once."""
    pages, targets = _ends(links)
    pairs = links.select(pages[1].alias("from"), targets[1].alias("to"))
    return pairs.dropna().distinct()


def host_counts(links: DataFrame, keep_www: bool = False) -> DataFrame:
    """Returns how many hosts the domains of pages and of targets have."""
    hosts = [
        links.select(host(name, keep_www).alias("host"), domain.alias("rev_name"))
        for name, domain in _ends(links)
    ]
    distinct = hosts[0].union(hosts[1]).dropna().distinct()
    return distinct.groupBy("rev_name").agg(F.count("host").alias("hosts"))


def _ends(links: DataFrame) -> list[tuple[Column, Column]]:
    """Returns the reversed host and domain of pages, and those of targets, null where one is no host."""
    ends = []
    for host_rev, domain in (("page_host_rev", "page_domain"), ("host_rev", "registered_domain")):
        name = F.col(host_rev)
        rev_name = F.array_join(F.reverse(F.split(F.col(domain), r"\.")), ".")
        # Not `www.` and a public suffix: without `www.` there is no domain.
        ends.append((name, F.when(host(name).startswith(rev_name), rev_name)))
    return ends


if __name__ == "__main__":
    sys.exit(main())
