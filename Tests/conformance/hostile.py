"""Hostile URLs."""

SCHEMES = [
    "https", "http", "HTTPS", "hTTp", "ws", "wss", "ftp", "file", "blob", "blob:https", "javascript",
    "mailto", "data", "sovereign", "about", "irc", "h", "http s", "1http", "view-source:https", "",
]
SEPARATORS = [
    "://", "://", "://", "://", ":", ":/", ":\\\\", ":/\\", ":\\/", ":////", ":///", "//", ":\t//", " ://",
]
HOSTS = [
    "my.sovereign.example", "MY.Sovereign.Example", "my.sovereign.example.", "evil.example", "localhost", "a",
    "127.0.0.1", "0x7f.1", "0177.0.0.01", "2130706433", "0xffffffff", "4294967295", "4294967296", "256.1",
    "1.2.3", "1.2.3.4.5", "1.2.3.4.", "1.2.3.4..", "0x", "0x.0x", "09", "0.09", "a.0x1", "a.1", "1.a", "a.0xg",
    "a.08", "0xA.0XB", "00000000000000000001", "99999999999999999999", "1e3", "a.e3", "..", ".", ".1", "1.",
    "[::1]", "[::]", "[1::]", "[1:2:3:4:5:6:7:8]", "[1:2:3:4:5:6:7::]", "[::2:3:4:5:6:7:8]", "[::1.2.3.4]",
    "[1:0:0:2:0:0:0:3]", "[::ffff:127.0.0.1]", "[::1.2.3]", "[::01.2.3.4]", "[::1.2.3.256]", "[1::2::3]", "[:1]",
    "[1:]", "[12345::]", "[::g]", "[::1", "::1]", "[]", "[::1%25eth0]", "[1:2:3:4:5:6:7:1.2.3.4]", "[1:2:3:4:5:6:1.2.3.4]",
    "[0:0:1:0:0:1:0:0]", "[ABCD:EF01::]", "[1:2:3:4:5:6:7:8:9]", "[::1]x", "x[::1]",
    "xn--bcher-kva.example", "xn--", "xn--a", "XN--99999999", "xn--zca.xn--", "a_b.example", "-a-.example", "*.example",
    "a%2eexample", "%6dy.sovereign.example", "a%00b", "a%20b", "a%", "a%4", "a%zz", "%", "a%2fb", "a%40b", "a%3a80",
    "%5B::1%5D", "%C3%9F.example", "%c3%28", "%ff", "%f0%9f%8f%a1.example", "%EF%BC%8E", "%e1%ba%9e", "a%25b",
    "bücher.example", "ΒΌΛΟΣ.example", "faß.example", "１２７.0.0.1", "²", "ｅｘａｍｐｌｅ", "a。example", "א.example",
    "אב.1a.com", "1א.example", "א1.example", "a\u200db", "क\u094d\u200dष.example", "\u0301a", "a\u00adb",
    "％41.example", "a*b", "a＊b", "日本語。ＪＰ", "☃.net", "i❤.ws", "ß.xn--a.example", "İstanbul.example",
    "\u2100.example", "\u2260.example", "a\ufffdb", "a\ufeffb", "\u0660\u0661.example", "\U0001f3e1.example",
]
GOOD_HOSTS = [
    "my.sovereign.example", "MY.Sovereign.Example", "my.sovereign.example.", "evil.example", "localhost", "0x7f.1", "0177.1",
    "[::1]", "[1:0:0:2::3]", "[::ffff:127.0.0.1]", "xn--bcher-kva.example", "a_b.-c-", "*.example", "a%2eexample", "%C3%9F.example",
    "bücher.example", "faß.example", "日本語。ＪＰ", "אב.example", "１２７.1", "a\u00adb", "i❤.ws", "1.a", "a.08x", "a.0xg",
]
# Alone in a host, each also tells whether the parsers know it from the same version of Unicode.
CHARACTERS = (
    "ßẞςΣİıſKÅéÉΩאבגا١٢ةیकअ\u094d\u200c\u200d\u00ad\u200b\u2060\ufeff\u0301\u0307\u0345\u034f。．｡․％／：＠＃？"
    "［］＼＊²①⑩１Ａａ㏂ﬁ℀∕≠≮≯‥…–—‘’\u2028\u00a0\u3000日本語한글\u115f\u1160\u3164\uffa0♥☃❤\U0001f3e1\U0001f468"
    "\U0001d400\U0001d7ce\u180e\u180b\u206b\u04c0\u2f80\U0002f868\u2183\u2132\u10a0\u10c5\u1c80\u2c2f\u30fb\u0640\u06fd"
    "\u0378\u0530\U0001fae9\U000107c0\U00010d40\U0001e5d0\ufdd0\uffff\U0010ffff\ue000\U000e0001\U000e0100\ufffd\u1806\u2e2f"
    "\u0f0b\u19da\u3002\uff0e\u05f3\u00b7\u0375\u1e9b\u017f\ufb03\u2024\u33c2\ufdfa\u0149\u0958\U0001f1e6\U0001f251"
)
CHARACTERS = "".join(dict.fromkeys(CHARACTERS))
PORTS = ["", "", "", "", "", "", "", "", ":8443", ":8443", ":", ":443", ":80", ":8443", ":0", ":00080", ":65535", ":65536", ":99999999999999999999", ":a",
         ":8a", ":-1", ":+1", ":80:80", ":\t8\n0", ": 80", ":%38", ":１"]
USERINFO = ["", "", "", "", "", "@", ":@", "user@", "user:pw@", "my.sovereign.example@", "a@b@", "my.sovereign.example:80@",
            "u%40@", "[@", "[::1]@", "é@", " @", "<@", "a:b:c@", "%@"]
RESTS = ["", "", "/", "/a/b?c#d", "?q", "#f", "\\a", "\\@evil.example/", "/%2F%c3%a9&+$'(`{^|\"<> é", "/ ", "\t/x", "#a/b?c",
         "?<>\"' é`{}", "/\x01\x7f\u0085", "/..//./%2e%2e/", "/:@[]", "#`<>\" {}", "  ", "\x00", "/\ud7ff\ue000", "/a b ", "?a ",
         "?x ?y #z "]
TOKENS = list(":/\\@?#[].%-_*<>^|\"'`{}~+&=$!,; \t\n\r\x00\x01\x1f\x7f0179aAfFxX") + [
    "//", "\\\\", "https:", "http://", "xn--", "0x", "%2e", "%2F", "%40", "%00", "%5c", "::", "..", "%E3%80%82", "example",
] + list(CHARACTERS)
LENGTHS = [1, 8, 63, 64, 253, 254, 255, 256, 500, 999, 1000, 1001, 1002, 1024, 1365, 1366, 4095, 4096, 4097]


def escape(text):
    return "".join(f"%{byte:02x}" for byte in text.encode())


def host(rng):
    kind = rng.random()
    if kind < 0.5:
        name = rng.choice(GOOD_HOSTS)
    elif kind < 0.6:
        name = rng.choice(HOSTS)
    elif kind < 0.7:
        name = ".".join(
            rng.choice(["", "0x", "0X", "0", "00"]) + format(rng.choice([0, 1, 8, 9, 255, 256, 65535, 65536, 2**24, 2**32 - 1, 2**32]),
            rng.choice("dox")) for _ in range(rng.randint(1, 5)))
    elif kind < 0.8:
        pieces = [rng.choice(["0", "0", "1", "ffff", "a0", "00ab", ""]) for _ in range(rng.randint(1, 9))]
        name = "[" + ":".join(pieces) + rng.choice(["", "", "::", ":1.2.3.4", ":1.2.3.04"]) + "]"
    elif kind < 0.98:
        name = ".".join(
            "".join(rng.choice(CHARACTERS if rng.random() < 0.2 else "abz019-_") for _ in range(rng.randint(0, 4)))
            for _ in range(rng.randint(1, 4)))
    else:
        length = rng.choice(LENGTHS)
        name = rng.choice(["a", "é", "א", "0", "%c3%a9"]) * length + rng.choice(["", ".example", "é"])
    if rng.random() < 0.1:
        name = "".join(escape(character) if rng.random() < 0.4 else character for character in name)
    return name


def hostile(rng):
    if rng.random() < 0.05:
        return "".join(rng.choice(TOKENS) for _ in range(rng.randint(0, 24)))
    scheme = rng.choice(SCHEMES) if rng.random() < 0.25 else rng.choice(["https", "https", "http"])
    separator = rng.choice(SEPARATORS) if rng.random() < 0.25 else "://"
    url = scheme + separator + rng.choice(USERINFO) + host(rng) + rng.choice(PORTS) + rng.choice(RESTS)
    while rng.random() < 0.3:
        position = rng.randint(0, len(url))
        action = rng.random()
        if action < 0.6:
            url = url[:position] + rng.choice(TOKENS) + url[position:]
        elif action < 0.75:
            url = url[:position] + url[position + 1:]
        elif action < 0.9 and position < len(url):
            url = url[:position] + escape(url[position]) + url[position + 1:]
        else:
            url = url[:position] + url[position:].swapcase()
    return url
