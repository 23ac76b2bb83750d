"""Whole files, as the tools read and write them."""

import os

# So begins the name of a file that a save writes first.
TEMPORARY = ".sovereign-navigation.tmp-"


def text(path):
    """What a file holds, also where that is no text; None if there is no such file."""
    try:
        with open(path, encoding="utf-8", errors="surrogateescape", newline="") as file:
            return file.read()
    except FileNotFoundError:
        return None


def write(path, text, mode=0o644):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as file:
        file.write(text)
    os.chmod(path, mode)


def write_linked(home, path, text, mode=0o644):
    """Makes the file at a path below the home a symbolic link to one that its user keeps elsewhere."""
    real = f"dotfiles/{os.path.basename(path)}"
    write(f"{home}/{real}", text, mode)
    os.makedirs(os.path.dirname(f"{home}/{path}"), exist_ok=True)
    os.symlink(os.path.relpath(real, os.path.dirname(path)), f"{home}/{path}")


def tree(home):
    """Every file below, by its path: whether it is a symbolic link, and what it or its target holds."""
    files = {}
    for directory, _, names in os.walk(home):
        for name in names:
            path = os.path.join(directory, name)
            with open(path, "rb") as file:
                files[os.path.relpath(path, home)] = (os.path.islink(path), file.read())
    return files
