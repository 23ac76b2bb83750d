"""What the tools share that break a program's work at its system calls; strace(1) does the breaking."""

import os
import re
import subprocess

ERRORS = ["ENOSPC", "EIO", "EDQUOT", "EROFS", "EACCES", "EINTR", "ENOMEM"]
KILL = "signal=KILL"
# strace makes a write that writes nothing say 7. What a complete writer writes then lacks its beginning.
SHORT_WRITE, LOST = "retval=7", 7
# A write that writes nothing and says so. For ever, it would also keep libc busy with what the program prints.
NO_WRITE = "retval=0"


def run(*command):
    """Returns the status, and the lines that it wrote."""
    environment = {"PATH": os.environ["PATH"], "LD_LIBRARY_PATH": os.environ.get("LD_LIBRARY_PATH", ""),
                   "SWIFT_BACKTRACE": "enable=no"}
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=60, env=environment)
    return done.returncode, done.stdout.decode().splitlines()


def run_broken(fault, *command):
    """The same with `KIND:WHAT:when=NUMBER`, where the number counts the calls of that kind."""
    return run("strace", "-o", "/dev/null", "-e", f"trace={fault.partition(':')[0]}", "-e", f"inject={fault}", *command)


def run_traced(home, *command):
    """Returns those of the calls that name the home."""
    log = f"{home}.trace"
    status, _ = run("strace", "-y", "-s", "4096", "-o", log, *command)
    assert status == 0, "it fails without any fault"
    found = [call for call in calls(log) if home in call[2]]
    os.unlink(log)
    return found


def calls(log):
    """The calls that `strace -y` wrote down, as (kind, which one of its kind, the line)."""
    count, found = {}, []
    for line in open(log, errors="replace"):
        name = re.match(r"(\w+)\(", line)
        if name:
            kind = name.group(1)
            count[kind] = count.get(kind, 0) + 1
            found.append((kind, count[kind], line))
    return found


def not_written(found, wanted):
    """What, besides the bytes that a short write loses, is otherwise than without a fault; two trees."""
    odd = [path for path in wanted if found.get(path) != wanted[path]
           and (path not in found or found[path][1] != wanted[path][1][LOST:])]
    return f"not all was written: {odd}" if odd else None
