"""Findings of an audit."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterable, Iterator, Sequence

from uriscan._command import Option, PathArgument, flags, path_arguments
from uriscan._process import Process, Record

# Options with which the command writes something else than findings, or elsewhere.
_NOT_FINDINGS = frozenset(
    """count_by explain external files files_with_matches fix fix_moved format generate help json messages
    output quiet type_list version""".split()
)


class Findings(Iterator[Record]):
    """The findings of an audit, while the command finds them.

    After the last one `summary` is the record of totals, and `Error` is raised if anything could not be
    read. Closing them, or leaving a `with` block, ends the command.
    """

    summary: Record | None = None

    def __init__(self, process: Process):
        self._process = process
        self._lock = threading.Lock()

    def __enter__(self) -> Findings:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends the command."""
        self._process.kill()

    def __next__(self) -> Record:
        with self._lock:
            return self._next()

    def _next(self) -> Record:
        for line in () if self._process.output.closed else self._process.output:
            record: Record = json.loads(line)
            if record["type"] in ("finding", "link"):
                return record
            if record["type"] == "summary":
                self.summary = record
            else:
                self._process.note(record)
        self._process.finish()
        raise StopIteration


def audit(
    paths: PathArgument | Iterable[PathArgument],
    *,
    root: str | Sequence[str] | None = None,
    **options: Option,
) -> Findings:
    """Checks the links of document trees against the files on disk, and returns the findings.

    A finding has the keys of a link, then `rule`, `level`, `message`, `suggestion`, `key` and `group`.
    Options are the flags of `uriscan audit`, written as those of `scan`; with `links` every link is
    returned too, with its `state`. A configuration is read only if `config` names it.

    >>> import uriscan
    >>> findings = uriscan.audit("corpus/audit/orphans/site", warn=["orphan"])
    >>> for finding in findings:
    ...     print(finding["path"], finding["rule"])
    corpus/audit/orphans/site/alone.html orphan
    corpus/audit/orphans/site/landing.html orphan
    >>> findings.summary["files"]
    5
    """
    names, feed = path_arguments(paths)
    if options.get("config") is None:
        options = {**options, "config": None, "no_config": True}
    arguments = ["audit", "--json", *flags({"root": root, **options}, _NOT_FINDINGS), *names]
    return Findings(Process(arguments, feed=feed))
