"""The examples in the documentation of the package."""

import doctest

import pytest

import uriscan
from uriscan import _audit, _command, _resolve, _scan
from uriscan.jobs import _ranks, link_table


@pytest.mark.parametrize("module", [uriscan, _audit, _command, _resolve, _scan, link_table, _ranks])
def test_examples(module: object) -> None:
    result = doctest.testmod(module)  # type: ignore[arg-type]
    assert result.attempted > 0
    assert result.failed == 0
