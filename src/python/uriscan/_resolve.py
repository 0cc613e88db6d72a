"""Resolution of references."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence

from uriscan._process import Process

# References that hold line breaks cannot be lines of standard input: so many are arguments of one run.
_ARGUMENTS = 100


def resolve(base: str | None, refs: Iterable[str], rules: str = "rfc3986") -> list[str | None]:
    """Returns the target of each reference, None where it does not resolve.

    `rules` are those of the command: `rfc3986`, `rfc2396`, `rfc1808` or `whatwg`. Without a base only
    absolute references resolve.

    >>> resolve("http://a/b/c/d;p?q", ["../g", "?y", "//g"])
    ['http://a/b/g', 'http://a/b/c/d;p?y', 'http://g']
    >>> resolve("http://a/b/c/d;p?q", ["../../../g"], rules="rfc2396")
    ['http://a/../g']
    """
    arguments = ["resolve", "--json", f"--rules={rules}"]
    if base is not None:
        arguments.append(f"--base={base}")
    references = [refs] if isinstance(refs, str) else list(refs)
    of_lines = _of_lines(arguments, [ref for ref in references if not _breaks(ref)])
    of_arguments = _of_arguments(arguments, [ref for ref in references if _breaks(ref)])
    return [next(of_arguments if _breaks(ref) else of_lines) for ref in references]


def _breaks(reference: str) -> bool:
    """Says whether a reference takes more than a line."""
    return "\n" in reference or "\r" in reference


def _of_lines(arguments: Sequence[str], references: Sequence[str]) -> Iterator[str | None]:
    """Yields the targets of references that are lines of standard input."""
    if references:
        yield from _targets(Process(arguments, feed=(f"{ref}\n".encode() for ref in references)))


def _of_arguments(arguments: Sequence[str], references: Sequence[str]) -> Iterator[str | None]:
    """Yields the targets of references that are arguments."""
    for start in range(0, len(references), _ARGUMENTS):
        yield from _targets(Process([*arguments, "--", *references[start : start + _ARGUMENTS]]))


def _targets(process: Process) -> Iterator[str | None]:
    """Yields the targets that a run prints."""
    for line in process.output:
        yield json.loads(line)["target"]
    process.finish()
