"""Writes the graph of hosts of a table of links, in the form of Common Crawl's web graphs.

    spark-submit host_graph.py --output graph links

The table has all columns (`link_table --columns all`) and is one of web archives, whose pages have hosts.
`graph/vertices` has a line `id<TAB>rev_name` for each host, its labels reversed, sorted by name with ids from
0; `graph/edges` has a line `from<TAB>to` for each pair of hosts with a link, sorted by ids. Hosts that link
only to themselves are vertices without edges. Addresses are no hosts. A leading `www.` is left out, as Common
Crawl does, unless `--keep-www` is given.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from pyspark import StorageLevel
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 - the name that Spark's own pages give it


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the job, and returns its exit code."""
    arguments = argument_parser().parse_args(argv)
    spark = SparkSession.builder.appName("uriscan host graph").getOrCreate()
    pairs = host_pairs(spark.read.parquet(arguments.links), arguments.keep_www)
    vertices, edges = graph(pairs.persist(StorageLevel.MEMORY_AND_DISK))
    vertices.persist(StorageLevel.MEMORY_AND_DISK)
    _write(vertices.sort("id"), ["id", "rev_name"], f"{arguments.output}/vertices")
    _write(edges.sort("from", "to"), ["from", "to"], f"{arguments.output}/edges")
    return 0


def host_pairs(links: DataFrame, keep_www: bool = False) -> DataFrame:
    """Returns the pairs of hosts of pages and of their targets, reversed, each pair once.

    The host of a page is that of the record of a web archive, else that of a path which is a URI.
    """
    page = reversed_host(F.coalesce(F.col("target_uri"), F.col("path")))
    pairs = links.select(
        without_www(page, keep_www).alias("from"),
        without_www(F.col("host_rev"), keep_www).alias("to"),
    )
    return pairs.where(is_name(F.col("from")) & is_name(F.col("to"))).distinct()


def graph(pairs: DataFrame) -> tuple[DataFrame, DataFrame]:
    """Returns the vertices (`id`, `rev_name`) and the edges (`from`, `to`) of pairs of hosts."""
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


def reversed_host(uri: Column) -> Column:
    """Returns the host of a URI, in lower case, with its labels in reverse order."""
    host = F.regexp_extract(uri, r"^[A-Za-z][A-Za-z0-9+.\-]*://(?:[^/?#@]*@)?([^/?#:\[]+)", 1)
    return F.array_join(F.reverse(F.split(F.lower(F.rtrim(host)), r"\.")), ".")


def without_www(name: Column, keep: bool) -> Column:
    """Returns a reversed name without the label `www` at its end, unless it is kept or the whole name."""
    return name if keep else F.regexp_replace(name, r"(?<=.)\.www$", "")


def is_name(host: Column) -> Column:
    """Says whether a reversed host is a name: not null, not empty, no address of IPv4 or IPv6."""
    return host.isNotNull() & (host != "") & ~host.rlike(r"^[0-9]+(\.[0-9]+){3}$|[:\[\]]")


def _write(rows: DataFrame, columns: list[str], path: str) -> None:
    """Writes lines of columns with tabs between them."""
    rows.select(F.concat_ws("\t", *columns)).write.mode("errorifexists").text(path)


def argument_parser() -> argparse.ArgumentParser:
    """Returns the parser of the arguments."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("links", help="the table of links, with all columns")
    parser.add_argument("--output", required=True, help="the graph, a new directory")
    parser.add_argument("--keep-www", action="store_true", help="keep a leading www.")
    return parser


if __name__ == "__main__":
    sys.exit(main())
