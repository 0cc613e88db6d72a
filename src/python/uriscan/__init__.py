"""The references of documents, each resolved against the right base.

This package runs the command `uriscan`, which its wheel contains, and reads what it writes. Tables of
links come as Arrow record batches, which pandas, DuckDB and Polars take as they are.

>>> import uriscan
>>> page = b'<base href="http://example.org/docs/"><a href="b.html">b</a>'
>>> with uriscan.scan(page, format="html") as reader:
...     table = reader.read_all()
>>> table["target"].to_pylist()
['http://example.org/docs/b.html']
"""

from uriscan._audit import Findings, audit
from uriscan._command import Option, binary, version
from uriscan._process import Error, Record
from uriscan._resolve import resolve
from uriscan._scan import records, scan

__all__ = ["Error", "Findings", "Option", "Record", "audit", "binary", "records", "resolve", "scan"]


def __getattr__(name: str) -> str:
    if name == "__version__":
        return version()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
