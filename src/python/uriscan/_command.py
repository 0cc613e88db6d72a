"""The arguments of the command, and where its binary is."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TypeAlias, Union

PathArgument: TypeAlias = Union[str, "os.PathLike[str]"]
Scalar: TypeAlias = Union[str, int, float, "os.PathLike[str]"]
Option: TypeAlias = Scalar | Iterable[Scalar] | None

# Longer lists of paths go through a pipe: Linux refuses arguments of more than 2 MiB, other systems
# refuse less.
_ARGUMENT_BYTES = 128 * 1024


def binary() -> str:
    """Returns the path of the command.

    It is the one that the environment variable `URISCAN_BINARY` names, else the one that was installed
    with this package, else the first `uriscan` on the path.
    """
    named = os.environ.get("URISCAN_BINARY")
    if named:
        return named
    name = "uriscan" + (sysconfig.get_config_var("EXE") or "")
    user = sysconfig.get_preferred_scheme("user")
    folders = [
        Path(sysconfig.get_path("scripts")),
        Path(sysconfig.get_path("scripts", user)),
        # pip install --target and --prefix.
        Path(__file__).parents[1] / "bin",
        Path(sys.prefix) / "bin",
    ]
    for folder in folders:
        if (folder / name).is_file():
            return str(folder / name)
    found = shutil.which(name)
    if found is None:
        raise FileNotFoundError("the command uriscan is not installed; URISCAN_BINARY can name its file")
    return found


def version() -> str:
    """Returns the version of the command."""
    printed = subprocess.run([binary(), "--version"], stdout=subprocess.PIPE, check=True)
    return printed.stdout.decode().split()[-1]


def flags(options: Mapping[str, Option], refused: Iterable[str] = ()) -> list[str]:
    """Returns the flags of options.

    An underscore is a hyphen, True a flag without a value, None and False no flag, and a list the flag
    once for each value.

    >>> flags({"html_text": True, "scheme": "http", "exclude": ["a", "-b"], "base": None})
    ['--html-text', '--scheme=http', '--exclude=a', '--exclude=-b']
    """
    arguments = []
    for name, value in options.items():
        if name.replace("-", "_") in refused:
            raise TypeError(f"the option {name!r} changes what the command writes, and cannot be used here")
        flag = "--" + name.replace("_", "-")
        if value is True:
            arguments.append(flag)
        elif isinstance(value, (str, int, float, os.PathLike)) and value is not False:
            arguments.append(f"{flag}={_text(value)}")
        elif isinstance(value, Iterable) and not isinstance(value, (bytes, Mapping)):
            arguments.extend(values := [f"{flag}={_text(one)}" for one in value])
            # Without the flag there are those of the default.
            if name == "columns" and not values:
                raise ValueError("there are no columns")
        elif value is not None and value is not False:
            raise TypeError(f"the option {name!r} has a value of type {type(value).__name__}")
    return arguments


def _text(value: Scalar) -> str:
    """Returns a value as the command takes it."""
    return os.fspath(value) if isinstance(value, os.PathLike) else str(value)


def path_arguments(
    paths: PathArgument | Iterable[PathArgument],
) -> tuple[list[str], list[bytes] | None]:
    """Returns the arguments that name paths, and what the command is to read from standard input."""
    if isinstance(paths, (bytes, bytearray, memoryview)) or hasattr(paths, "read"):
        raise TypeError("the contents of a document are in no tree: name its path")
    if isinstance(paths, (str, os.PathLike)):
        paths = [paths]
    names = [os.fsdecode(path) for path in paths]
    if not names:
        raise ValueError("there are no paths")
    for name in names:
        if not name or "\0" in name:
            raise ValueError(f"not a path: {name!r}")
    encoded = [os.fsencode(name) + b"\0" for name in names]
    if sum(map(len, encoded)) <= _ARGUMENT_BYTES:
        return ["--", *names], None
    return ["--files0-from=-"], encoded
