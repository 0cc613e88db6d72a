"""Measures how time grows with input: one file of 1 KB and more, one file and more of 4 KB, threads.

    python benches/growth.py                            # up to 1 GB and 100,000 files
    python benches/growth.py --up-to 10G --files 1M --picture .github/growth.svg

Prints a table with nanoseconds for each byte, and the start of the process apart. Needs as much room in
the folder for temporary files as the largest input, and is best read on a machine that does nothing else.
"""

from __future__ import annotations

import argparse
import math
import os
import random
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

TURNS = 5
PAGE = 4 << 10
PER_DIRECTORY = 1000
UNITS = {"K": 10**3, "M": 10**6, "G": 10**9}


def main() -> None:
    """Prints the table, and draws it."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--up-to", type=number, default=10**9, help="bytes of the largest file")
    parser.add_argument("--files", type=number, default=10**5, help="the largest number of files")
    parser.add_argument("--picture", type=Path)
    arguments = parser.parse_args()
    print(f"load {os.getloadavg()[0]:.1f}, {os.cpu_count()} cores, {time.strftime('%Y-%m-%d')}")
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        start = measure(folder / "none", "-q")
        print(f"start of the process: {start * 1e3:.1f} ms\n")
        print("| input | bytes | seconds | ns a byte, without the start |\n| --- | ---: | ---: | ---: |")
        curves = {}
        for kind, block in {"html": page(), "txt": text(), "mbox": mail()}.items():
            curves[f"one file, {kind}"] = [
                sized(folder / f"a.{kind}", block, size, start) for size in powers(10**3, arguments.up_to)
            ]
        curves["files of 4 KB"] = [
            tree(folder / "tree", count, start) for count in powers(1, arguments.files)
        ]
        for threads in (1, 2, 4, 8):
            name = f"{arguments.files:,} files, {threads} threads"
            row(name, folder / "tree", start, f"-j{threads}", arguments.files * PAGE)
    if arguments.picture:
        arguments.picture.write_text(picture(curves))


def number(given: str) -> int:
    """Reads a number with a unit."""
    unit = UNITS.get(given[-1:].upper(), 1)
    return int(given.rstrip("KMGkmg")) * unit


def powers(first: int, last: int) -> list[int]:
    """Returns powers of ten."""
    return [first * 10**power for power in range(round(math.log10(last / first)) + 1)]


def sized(path: Path, block: bytes, size: int, start: float) -> tuple[int, float]:
    """Measures a file of a size."""
    with path.open("wb") as file:
        for _ in range(size // len(block)):
            file.write(block)
        file.write(block[: size % len(block)])
    measured = row(f"one file, {path.suffix[1:]}", path, start, "-j1")
    path.unlink()
    return measured


def tree(folder: Path, count: int, start: float) -> tuple[int, float]:
    """Measures a number of files, some of which are there."""
    document = page()[:PAGE]
    for index in range(count):
        path = folder / str(index // PER_DIRECTORY) / f"{index}.html"
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(document)
    return row(f"{count:,} files", folder, start, "-j1", count * PAGE)


def row(name: str, path: Path, start: float, threads: str, size: int | None = None) -> tuple[int, float]:
    """Prints a row."""
    size = size or path.stat().st_size
    seconds = measure(path, "-q", threads)
    each = max(seconds - start, 0) / size * 1e9
    print(f"| {name} | {size:,} | {seconds:.4f} | {each:.2f} |", flush=True)
    return size, seconds


def measure(path: Path, *flags: str) -> float:
    """Returns the median of some turns."""
    command = [os.environ.get("URISCAN_BINARY", "uriscan"), *flags, str(path)]
    turns = []
    for _ in range(TURNS):
        begin = time.perf_counter()
        subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        turns.append(time.perf_counter() - begin)
    return statistics.median(turns)


def words(seed: int, count: int) -> list[str]:
    """Returns words from a seed."""
    random.seed(seed)
    return ["".join(random.choices("abcdefghijklmnoprstuvwy", k=random.randint(2, 9))) for _ in range(count)]


def page() -> bytes:
    """Returns a page of 64 KB or a little more."""
    parts = ["<!DOCTYPE html><title>Growth</title><body>\n"]
    for index in range(400):
        some = words(index, 20)
        link = f'<a class="x" href="../{some[0]}/{some[1]}.html#{some[2]}">{some[3]}</a>'
        parts.append(f"<p id=p{index}>{' '.join(some)} {link}</p>\n")
    return "".join(parts).encode()


def text() -> bytes:
    """Returns plain text with a URI in every fifth line."""
    lines = []
    for index in range(1000):
        some = words(index, 9)
        link = f" <http://example.org/{some[0]}/{some[1]}>" if index % 5 == 0 else ""
        lines.append(" ".join(some) + link)
    return ("\n".join(lines) + "\n").encode()


def mail() -> bytes:
    """Returns a message in an mbox."""
    head = "From a@example.org Mon Jan  1 00:00:00 2024\nFrom: a@example.org\nSubject: growth\n\n"
    return head.encode() + text()[:6000] + b"\n\n"


def picture(curves: dict[str, list[tuple[int, float]]]) -> str:
    """Draws seconds over bytes, both as powers of ten."""
    width, height, margin = 640, 400, 60
    sizes = [math.log10(size) for curve in curves.values() for size, _ in curve]
    times = [math.log10(seconds) for curve in curves.values() for _, seconds in curve]
    low, high = math.floor(min(times)), math.ceil(max(times))
    left, right = math.floor(min(sizes)), math.ceil(max(sizes))

    def place(size: float, seconds: float) -> tuple[float, float]:
        across = (math.log10(size) - left) / (right - left)
        up = (math.log10(seconds) - low) / (high - low)
        return margin + across * (width - 2 * margin), height - margin - up * (height - 2 * margin)

    svg = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        'font-family="sans-serif" font-size="12">',
        "<title>Seconds over bytes of input</title>",
        f'<rect width="{width}" height="{height}" fill="#fff"/>',
    ]
    for power in range(left, right + 1):
        x, y = place(10.0**power, 10.0**low)
        svg.append(f'<path d="M{x:.0f} {margin}V{y:.0f}" stroke="#ddd"/>')
        svg.append(f'<text x="{x:.0f}" y="{y + 18:.0f}" text-anchor="middle">{size_name(power)}</text>')
    for power in range(low, high + 1):
        x, y = place(10.0**left, 10.0**power)
        svg.append(f'<path d="M{x:.0f} {y:.0f}H{width - margin}" stroke="#ddd"/>')
        svg.append(f'<text x="{x - 6:.0f}" y="{y + 4:.0f}" text-anchor="end">{10.0**power:g} s</text>')
    colours = ("#1f77b4", "#d62728", "#2ca02c", "#9467bd")
    for index, ((name, curve), colour) in enumerate(zip(curves.items(), colours, strict=True)):
        points = " ".join(f"{x:.1f},{y:.1f}" for x, y in (place(*point) for point in curve))
        svg.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>')
        svg.append(f'<text x="{margin + 12}" y="{margin + 16 * index + 14}" fill="{colour}">{name}</text>')
    return "\n".join([*svg, "</svg>"]) + "\n"


def size_name(power: int) -> str:
    """Names a power of ten of bytes."""
    unit = ("B", "KB", "MB", "GB", "TB")[power // 3]
    return f"{10 ** (power % 3)} {unit}"


if __name__ == "__main__":
    main()
