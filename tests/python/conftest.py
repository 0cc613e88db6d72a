"""What the tests of Python share: the command, and Spark."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]


def pytest_configure(config: pytest.Config) -> None:
    """Lets the tests find the package and the command, unless an installed wheel is tested."""
    config.addinivalue_line("markers", "slow: by hand: it takes minutes, or gigabytes")
    config.addinivalue_line("markers", "wheel: it builds a wheel")
    if os.environ.get("URISCAN_INSTALLED"):
        return
    package = str(ROOT / "src" / "python")
    sys.path.insert(0, package)
    # The executors of Spark, which have another working directory.
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [package, os.environ.get("PYTHONPATH")]))
    if "URISCAN_BINARY" not in os.environ:
        build = ["cargo", "build", "--release", "--quiet", "--features", "parquet"]
        subprocess.run(build, cwd=ROOT, check=True)
        target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
        os.environ["URISCAN_BINARY"] = str(target / "release" / "uriscan")


@pytest.fixture(autouse=True)
def at_the_top(monkeypatch: pytest.MonkeyPatch) -> None:
    """Paths in tests begin at the top of the project."""
    monkeypatch.chdir(ROOT)


@pytest.fixture(scope="session")
def corpus() -> list[str]:
    """The documents of `corpus/`, by their paths."""
    import uriscan

    listed = subprocess.run(
        [uriscan.binary(), "--files", "corpus"], stdout=subprocess.PIPE, check=True, cwd=ROOT
    )
    return listed.stdout.decode().splitlines()


@pytest.fixture(scope="session")
def spark_builder() -> Any:
    """The builder of a cluster with two executors, each a process with one core."""
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    settings: dict[str, bool | float | int | str | None] = {
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "4",
        "spark.sql.session.timeZone": "UTC",
        "spark.executorEnv.PYTHONPATH": os.environ.get("PYTHONPATH", ""),
    }
    return SparkSession.builder.master("local-cluster[2,1,1024]").config(map=settings)
