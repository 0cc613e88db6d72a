"""The programs of the sections on Python and Spark run."""

import re
import sys

import pytest

from conftest import ROOT

README = (ROOT / "README.md").read_text()


def section(name: str) -> str:
    """The text of a section."""
    return README.split(f"\n## {name}\n")[1].split("\n## ")[0]


@pytest.mark.parametrize("name", ["Python", "Spark"])
def test_programs(name: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)
    programs = re.findall(r"^```python\n(.*?)^```$", section(name), re.DOTALL | re.MULTILINE)
    assert programs
    for program in programs:
        exec(compile(program, f"README.md, {name}", "exec"), {})
    printed = capsys.readouterr().out
    if name == "Python":
        assert "corpus/audit/orphans/site/alone.html orphan" in printed
        assert "['http://a/b/g', 'http://a/b/c/d;p?y']" in printed
        assert "'reference': [b'" in printed
    else:
        from pyspark.sql import SparkSession

        SparkSession.builder.getOrCreate().stop()
        assert "element" in printed


def test_the_jobs_have_the_flags_that_are_shown() -> None:
    from uriscan.jobs import domain_graph, host_graph, link_table

    commands = re.findall(r"^python -m uriscan\.jobs\.(\w+) (.*)$", section("Spark"), re.MULTILINE)
    graph = host_graph.argument_parser
    parsers = {"link_table": link_table.argument_parser, "host_graph": graph, "domain_graph": graph}
    assert {name for name, _ in commands} == set(parsers)
    for name, arguments in commands:
        parsers[name]().parse_args(arguments.split())
