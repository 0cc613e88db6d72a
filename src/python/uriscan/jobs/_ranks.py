"""Ranks of the vertices of a graph, by Python alone on one machine."""

from __future__ import annotations

from collections.abc import Sequence

# The vertices whose distances to all others are found together, a bit for each.
_BLOCK = 8192


def harmonic_centrality(count: int, edges: Sequence[tuple[int, int]]) -> list[float]:
    """Returns for each vertex the sum of the reciprocals of the distances of all others to it.

    The time is that of a search from `_BLOCK` vertices at once, for each block: minutes for 100,000 vertices.

    >>> harmonic_centrality(4, [(0, 1), (1, 2), (3, 2)])
    [0.0, 1.0, 2.5, 0.0]
    """
    following: list[list[int]] = [[] for _ in range(count)]
    for source, target in edges:
        following[source].append(target)
    sums = [0.0] * count
    for start in range(0, count, _BLOCK):
        # The vertices of the block that reach a vertex, and those that have just reached it.
        reached = [0] * count
        arrived = {vertex: 1 << (vertex - start) for vertex in range(start, min(start + _BLOCK, count))}
        distance = 0
        while arrived:
            going: dict[int, int] = {}
            for vertex, sources in arrived.items():
                new = sources & ~reached[vertex]
                if new:
                    reached[vertex] |= new
                    if distance:
                        sums[vertex] += new.bit_count() / distance
                    for target in following[vertex]:
                        going[target] = going.get(target, 0) | new
            arrived = going
            distance += 1
    return sums


def pagerank(
    count: int, edges: Sequence[tuple[int, int]], damping: float = 0.85, tolerance: float = 1e-10
) -> list[float]:
    """Returns the PageRank of each vertex; vertices without edges pass theirs on to all.

    >>> [round(rank, 3) for rank in pagerank(3, [(0, 1), (1, 0), (2, 0)])]
    [0.486, 0.464, 0.05]
    """
    degrees = [0] * count
    for source, _ in edges:
        degrees[source] += 1
    ranks, change = [1 / count] * count, 1.0
    while change > tolerance:
        idle = sum(rank for rank, degree in zip(ranks, degrees, strict=True) if not degree)
        shares = [damping * rank / max(degree, 1) for rank, degree in zip(ranks, degrees, strict=True)]
        new = [(1 - damping + damping * idle) / count] * count
        for source, target in edges:
            new[target] += shares[source]
        change = sum(abs(one - other) for one, other in zip(ranks, new, strict=True))
        ranks = new
    return ranks
