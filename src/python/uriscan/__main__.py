"""Runs the command, as `python -m uriscan`."""

import os
import subprocess
import sys

from uriscan._command import binary


def main() -> None:
    """Replaces this process by the command, or waits for it where a process cannot be replaced."""
    command = [binary(), *sys.argv[1:]]
    if os.name == "posix":
        os.execv(command[0], command)
    sys.exit(subprocess.run(command, check=False).returncode)


if __name__ == "__main__":
    main()
