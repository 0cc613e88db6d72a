"""The wheel: its tag, its size, and its tests in an environment that has nothing else."""

import os
import subprocess
import sys
import venv
from pathlib import Path

import pytest

from conftest import ROOT

# What the tests of tables import, besides the package; DuckDB needs pytz for times with a zone.
PACKAGES = ("duckdb", "polars", "pyarrow", "pytest", "pytz")


@pytest.mark.wheel
def test_wheel(tmp_path: Path) -> None:
    house = tmp_path / "wheelhouse"
    tools = str(Path(sys.executable).parent)
    environment = {**os.environ, "PATH": tools + os.pathsep + os.environ["PATH"]}
    build = ["maturin", "build", "--release", "--zig", "--compatibility", "manylinux2014"]
    subprocess.run([*build, "--out", str(house)], check=True, cwd=ROOT, env=environment)
    [wheel] = house.glob("uriscan-*.whl")
    _, _, interpreter, abi, platform = wheel.stem.split("-")
    assert (interpreter, abi) == ("py3", "none")
    assert sorted(tag.partition("_")[0] for tag in platform.split(".")) == ["manylinux", "manylinux2014"]
    assert wheel.stat().st_size < 20 * 1024 * 1024

    installed = subprocess.check_output([sys.executable, "-m", "pip", "freeze"], text=True).splitlines()
    pinned = [line for line in installed if line.split("==")[0] in PACKAGES]
    assert len(pinned) == len(PACKAGES)
    fetch = [sys.executable, "-m", "pip", "download", "--quiet", "--only-binary=:all:", "--dest", str(house)]
    subprocess.run([*fetch, *pinned], check=True)

    clean = tmp_path / "clean"
    venv.create(clean, with_pip=True)
    python = str(clean / "bin" / "python")
    install = [python, "-m", "pip", "install", "--quiet", "--no-index", "--find-links", str(house)]
    subprocess.run([*install, "uriscan", *PACKAGES], check=True)
    for name in ("URISCAN_BINARY", "PYTHONPATH"):
        environment.pop(name, None)
    environment["URISCAN_INSTALLED"] = "1"
    run = [python, "-m", "pytest", "-q", "tests/python/test_scan.py", "tests/python/test_queries.py"]
    subprocess.run(run, check=True, cwd=ROOT, env=environment)
    where = "import uriscan; print(uriscan.binary(), uriscan.__file__)"
    found = subprocess.check_output([python, "-c", where], text=True, cwd=tmp_path, env=environment)
    assert all(path.startswith(str(clean)) for path in found.split())
