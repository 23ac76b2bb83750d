"""A tool's command line, and what it finds."""

import argparse
import os
import time


def read_arguments(**defaults):
    """The options, each of its default's type, and what is left: the service's command."""
    parser = argparse.ArgumentParser()
    for name, default in defaults.items():
        parser.add_argument(f"--{name}", type=type(default), default=default)
    parser.add_argument("command", nargs=argparse.REMAINDER)
    found = parser.parse_args()
    found.command[0] = os.path.abspath(found.command[0])
    return found


class Problems(list):
    """What is wrong; the first of it is shown at once."""

    def add(self, what):
        if len(self) < 20:
            # It may quote a file that is no text.
            print("WRONG:", what[:600].encode(errors="backslashreplace").decode())
        self.append(what)


def until(condition, patience=10, pause=0.001):
    """Waits so many seconds at most. Returns what the condition was at last."""
    end = time.monotonic() + patience
    while not (found := condition()) and time.monotonic() < end:
        time.sleep(pause)
    return found
