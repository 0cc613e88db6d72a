"""Resolution of references."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence

from uriscan._process import Process


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
    lines = _targets(arguments, [ref for ref in references if not _breaks(ref)], "\n")
    texts = _targets([*arguments, "--null"], [ref for ref in references if _breaks(ref)], "\0")
    return [next(texts if _breaks(ref) else lines) for ref in references]


def _breaks(reference: str) -> bool:
    """Says whether a reference takes more than a line."""
    return "\n" in reference or "\r" in reference


def _targets(arguments: Sequence[str], references: Sequence[str], end: str) -> Iterator[str | None]:
    """Yields the targets of references, which a byte ends in standard input."""
    if any(end in ref for ref in references):
        raise ValueError("a reference has a line break and NUL")
    if references:
        process = Process(arguments, feed=(f"{ref}{end}".encode() for ref in references))
        for line in process.output:
            yield json.loads(line)["target"]
        process.finish()
