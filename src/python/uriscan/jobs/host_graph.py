"""Writes the graph of hosts of a table of links, in the form of Common Crawl's web graphs.

    spark-submit host_graph.py --output graph links

The table has all columns (`link_table --columns all`) and is one of web archives, whose pages have hosts.
`graph/vertices` has a line `id<TAB>rev_name` for each host, its labels reversed, sorted by name with ids from
0; `graph/edges` has a line `from<TAB>to` for each pair of hosts with a link, sorted by ids. Hosts that link
only to themselves are vertices without edges. Addresses and names of one label are no hosts. A leading `www.`
of three labels or more is left out, as Common Crawl does, unless `--keep-www` is given.

With `--ranks` there is `graph/ranks`, sorted by harmonic centrality: its position and value, those of
PageRank, and the name. The driver computes them: minutes for 100,000 hosts.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from pyspark import StorageLevel
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 - the name that Spark's own pages give it

# A name of two labels or more, as Common Crawl has them.
_LABEL = r"[a-z0-9]([a-z0-9_-]{0,61}[a-z0-9])?"
_NAME = rf"^(?=.{{1,253}}$){_LABEL}(\.{_LABEL})+$"
_ADDRESS = r"^[0-9]{1,3}(\.[0-9]{1,3}){3}$"


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the job, and returns its exit code."""
    arguments = argument_parser(__doc__).parse_args(argv)
    spark = SparkSession.builder.appName("uriscan host graph").getOrCreate()
    pairs = host_pairs(spark.read.parquet(arguments.links), arguments.keep_www)
    vertices, edges = graph(pairs.persist(StorageLevel.MEMORY_AND_DISK))
    write(vertices, edges, arguments.output, arguments.ranks)
    return 0


def host_pairs(links: DataFrame, keep_www: bool = False) -> DataFrame:
    """Returns the pairs of hosts of pages and of their targets, reversed, each pair once."""
    pairs = links.select(
        host(F.col("page_host_rev"), keep_www).alias("from"), host(F.col("host_rev"), keep_www).alias("to")
    )
    return pairs.dropna().distinct()


def host(name: Column, keep_www: bool = False) -> Column:
    """Returns a reversed name without the label `www` at its end, null if it is no name of a host."""
    if not keep_www:
        name = F.regexp_replace(name, r"^([^.]+\..+)\.www$", "$1")
    return F.when(name.rlike(_NAME) & ~name.rlike(_ADDRESS), name)


def graph(pairs: DataFrame) -> tuple[DataFrame, DataFrame]:
    """Returns the vertices (`id`, `rev_name`) and the edges (`from`, `to`) of pairs of names."""
    names = (
        pairs.select(F.col("from").alias("rev_name")).union(pairs.select("to")).distinct().sort("rev_name")
    )
    # Numbers without gaps in the order of names, without all of them in one task.
    numbered = names.rdd.zipWithIndex().map(lambda pair: (pair[1], pair[0][0]))
    vertices = pairs.sparkSession.createDataFrame(numbered, "id bigint, rev_name string")
    sources = vertices.select(F.col("rev_name").alias("from"), F.col("id").alias("from_id"))
    targets = vertices.select(F.col("rev_name").alias("to"), F.col("id").alias("to_id"))
    edges = (
        pairs.where(F.col("from") != F.col("to"))
        .join(sources, "from")
        .join(targets, "to")
        .select(F.col("from_id").alias("from"), F.col("to_id").alias("to"))
    )
    return vertices, edges


def write(vertices: DataFrame, edges: DataFrame, directory: str, with_ranks: bool) -> None:
    """Writes a graph to a new directory: lines of columns with tabs between them."""
    vertices, edges = vertices.persist(), edges.persist()
    tables = {"vertices": vertices.sort("id"), "edges": edges.sort("from", "to")}
    if with_ranks:
        tables["ranks"] = ranks(vertices, edges)
    for name, rows in tables.items():
        lines = rows.select(F.concat_ws("\t", *rows.columns))
        lines.write.mode("errorifexists").text(f"{directory}/{name}")


def ranks(vertices: DataFrame, edges: DataFrame) -> DataFrame:
    """Returns the ranks of a graph, as `graph/ranks` has them."""
    from uriscan.jobs._ranks import harmonic_centrality, pagerank

    names = [row["rev_name"] for row in vertices.sort("id").select("rev_name").collect()]
    pairs = [(row["from"], row["to"]) for row in edges.collect()]
    harmonic, pages = harmonic_centrality(len(names), pairs), pagerank(len(names), pairs)
    of_pages = sorted(range(len(names)), key=lambda vertex: -pages[vertex])
    positions = {vertex: position for position, vertex in enumerate(of_pages, 1)}
    best = sorted(range(len(names)), key=lambda vertex: -harmonic[vertex])
    rows = [
        (position, harmonic[vertex], positions[vertex], pages[vertex], names[vertex])
        for position, vertex in enumerate(best, 1)
    ]
    schema = "harmonicc_pos bigint, harmonicc_val double, pr_pos bigint, pr_val double, rev_name string"
    return vertices.sparkSession.createDataFrame(rows, schema).coalesce(1)


def argument_parser(about: str | None = __doc__) -> argparse.ArgumentParser:
    """Returns the parser of the arguments."""
    parser = argparse.ArgumentParser(description=about.partition("\n")[0] if about else None)
    parser.add_argument("links", help="the table of links, with all columns")
    parser.add_argument("--output", required=True, help="the graph, a new directory")
    parser.add_argument("--keep-www", action="store_true", help="keep a leading www.")
    parser.add_argument("--ranks", action="store_true", help="rank by harmonic centrality and PageRank")
    return parser


if __name__ == "__main__":
    sys.exit(main())
