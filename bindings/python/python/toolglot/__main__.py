"""The command line: `python -m toolglot`, or `toolglot`."""

import signal
import sys

from . import _native


def main() -> None:
    """Runs the command line and exits with its status."""
    # As in the native program: Ctrl-C stops it at once; `serve` handles the signal itself.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.exit(_native.main(["toolglot", *sys.argv[1:]]))


if __name__ == "__main__":
    main()
