"""The programs of the sections on Python and Spark run."""

import re
import subprocess
import sys

import pytest

from conftest import ROOT

README = (ROOT / "README.md").read_text()


def section(name: str) -> str:
    """The text of a section."""
    return README.split(f"\n## {name}\n")[1].split("\n## ")[0]


@pytest.mark.parametrize("name", ["Python", "Spark"])
def test_programs(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)
    programs = re.findall(r"^```python\n(.*?)^```$", section(name), re.DOTALL | re.MULTILINE)
    assert programs
    printed = ""
    for program in programs:
        # A session of Spark is one for the whole process.
        printed += subprocess.run(
            [sys.executable, "-c", program], check=True, capture_output=True, text=True
        ).stdout
    if name == "Python":
        assert "corpus/audit/orphans/site/alone.html orphan" in printed
        assert "['http://a/b/g', 'http://a/b/c/d;p?y']" in printed
        assert "'reference': [b'" in printed
    else:
        assert "element" in printed


def test_the_jobs_have_the_flags_that_are_shown() -> None:
    from uriscan.jobs import domain_graph, host_graph, link_table

    commands = re.findall(r"^python -m uriscan\.jobs\.(\w+) (.*)$", section("Spark"), re.MULTILINE)
    jobs = {"link_table": link_table, "host_graph": host_graph, "domain_graph": domain_graph}
    assert {name for name, _ in commands} == set(jobs)
    for name, arguments in commands:
        jobs[name].argument_parser().parse_args(arguments.split())
