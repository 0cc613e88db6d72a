"""What the tests of Python share: the command, and Spark."""

import os
import socket
import stat
import subprocess
import sys
from collections.abc import Iterator
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


def binary() -> str:
    """The command, which is not there before the tests are configured."""
    import uriscan

    return uriscan.binary()


class Command:
    """The command that the executors run: a script that each test may write anew."""

    def __init__(self, folder: Path):
        self.path = folder / "uriscan-of-executors"
        self.once = folder / "once"
        self.restore()

    def restore(self) -> None:
        """Runs the command itself."""
        self.write(f'exec "{binary()}" "$@"')

    def fail_once(self, what: str) -> None:
        """Does something once, after a part of the output, and is the command itself from then on."""
        real = binary()
        dies = f'"{real}" "$@" | head -c 150000; {what}'
        self.write(f'if mkdir "{self.once}" 2>&-; then {dies}; fi; exec "{real}" "$@"')

    def die_midway_once(self) -> None:
        """Kills the command once, while it has a temporary file and waits for the end of its input."""
        real = binary()
        # The end comes with that of the script.
        feed = "<(cat <&3; exec tail --pid=$$ -f /dev/null 2>&-)"
        waits = 'until compgen -G "$(dirname "${1#--output=}")/.*.tmp"; do sleep 0.05; done'
        dies = f'exec 3<&0; "{real}" "$@" < {feed} & {waits}; kill -9 $! $$'
        self.write(f'if mkdir "{self.once}" 2>&-; then {dies}; fi; exec "{real}" "$@"')

    def write(self, script: str) -> None:
        """Writes the script."""
        self.path.write_text(f"#!/bin/bash\n{script}\n")
        self.path.chmod(self.path.stat().st_mode | stat.S_IXUSR)


@pytest.fixture(scope="session")
def command(tmp_path_factory: pytest.TempPathFactory) -> Command:
    """The command of the executors, which find it where the session was made to look."""
    return Command(tmp_path_factory.mktemp("command"))


@pytest.fixture(scope="session")
def store() -> dict[str, str]:
    """The environment that names a store of objects on this machine; `test_objects` starts it."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    return {
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
        "AWS_DEFAULT_REGION": "us-east-1",
        "FSSPEC_S3_ENDPOINT_URL": f"http://127.0.0.1:{port}",
    }


@pytest.fixture(scope="session")
def cluster(command: Command, store: dict[str, str]) -> Iterator[Any]:
    """A cluster with two executors, each a process with one core, which run `command`."""
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    settings: dict[str, bool | float | int | str | None] = {
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "4",
        "spark.sql.session.timeZone": "UTC",
        "spark.executorEnv.PYTHONPATH": os.environ.get("PYTHONPATH", ""),
        "spark.executorEnv.URISCAN_BINARY": str(command.path),
        **{f"spark.executorEnv.{name}": value for name, value in store.items()},
    }
    builder = SparkSession.builder.master("local-cluster[2,1,1024]").config(map=settings)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()
