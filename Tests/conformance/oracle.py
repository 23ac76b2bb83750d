"""What other URL parsers say, for the conformance tests.

    oracle.py origins PARSER SEED COUNT   hostile URLs and the origin PARSER gives each
    oracle.py compare                     how many pairs on standard input ada parses differently
    oracle.py mislead                     in how many URLs on standard input parsers of another standard, or with
                                          a known fault, find another host than ada

Strings are written as four bytes of length, little endian, then UTF-8.
"""

import random
import re
import struct
import sys

import ada_url
import pywhatwgurl

from hostile import CHARACTERS, hostile

PARSERS = {"ada-url": ada_url.URL, "pywhatwgurl": pywhatwgurl.URL}


def origin(parse, url):
    try:
        return parse(url).origin
    except ValueError:
        return "failure"


def write(*strings):
    for string in strings:
        data = string.encode()
        sys.stdout.buffer.write(struct.pack("<I", len(data)) + data)


def read():
    stream = sys.stdin.buffer
    while head := stream.read(4):
        yield stream.read(struct.unpack("<I", head)[0]).decode()


def href(url):
    try:
        return ada_url.URL(url).href
    except ValueError:
        return "failure"


def misleads(url):
    """RFC 3986 ends the authority at `/`, `?` or `#`, and knows one `@`; which one, parsers have differed on."""
    scheme, authority = re.match(r"([^:/?#]+)://([^/?#]*)", url).groups()
    found = {authority.partition("@")[2] or authority, authority.rpartition("@")[2]}
    try:
        return {ada_url.URL(f"{scheme}://{host}").host for host in found} != {ada_url.URL(url).host}
    except ValueError:
        return True


def main():
    if sys.argv[1:] == ["mislead"]:
        misleading = [url for url in read() if misleads(url)]
        for url in misleading[:20]:
            print(ascii(url), file=sys.stderr)
        print(len(misleading))
        return
    if sys.argv[1:] == ["compare"]:
        strings = read()
        different = [(a, b) for a, b in zip(strings, strings) if href(a) != href(b)]
        for before, after in different[:20]:
            print(ascii(before), ascii(after), ascii(href(before)), ascii(href(after)), file=sys.stderr)
        print(len(different))
        return
    _, name, seed, count = sys.argv[1:]
    parse = PARSERS[name]
    rng = random.Random(int(seed))
    singles = [f"https://a{character}a.example/" for character in CHARACTERS]
    for number in range(int(count)):
        url = singles[number] if number < len(singles) else hostile(rng)
        write(url, origin(parse, url))


if __name__ == "__main__":
    main()
