"""D-Bus over a plain socket, in either byte order, without a library that would refuse to send nonsense.

Values: a variant is (signature, value), a dictionary a list of pairs, a string text or bytes.
https://dbus.freedesktop.org/doc/dbus-specification.html
"""

import array
import os
import resource
import socket
import struct

CALL, RETURN, ERROR, SIGNAL = 1, 2, 3, 4
NO_REPLY, NO_AUTO_START = 1, 2
BUS = ("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus")
MANAGER = "org.freedesktop.systemd1"

ALIGNMENT = {**dict.fromkeys("ygv", 1), **dict.fromkeys("nq", 2), **dict.fromkeys("biusoah", 4),
             **dict.fromkeys("xtd({", 8)}
FORMAT = dict(zip("ybnqiuxtdh", "BIhHiIqQdI"))


class Lost(Exception):
    """The bus has closed the connection."""


class Late(Exception):
    """Nothing came in time."""


def end_of_type(signature, start=0):
    depth = 0
    while signature[start] == "a":
        start += 1
    while True:
        depth += (signature[start] in "({") - (signature[start] in ")}")
        start += 1
        if depth == 0:
            return start


def types(signature):
    """The complete types that a signature is made of."""
    found, start = [], 0
    while start < len(signature):
        end = end_of_type(signature, start)
        found.append(signature[start:end])
        start = end
    return found


def pad(out, alignment):
    out += bytes(-len(out) % alignment)


def marshal(out, kind, value, order="<"):
    """Appends a value of one complete type; offsets count from the beginning of `out`."""
    code = kind[0]
    pad(out, ALIGNMENT[code])
    if code in FORMAT:
        out += struct.pack(order + FORMAT[code], value)
    elif code in "so":
        data = value if isinstance(value, bytes) else value.encode()
        out += struct.pack(order + "I", len(data))
        out += data
        out.append(0)
    elif code == "g":
        data = value.encode()
        out.append(len(data))
        out += data + b"\0"
    elif code == "v":
        marshal(out, "g", value[0], order)
        marshal(out, value[0], value[1], order)
    elif code == "a":
        at = len(out)
        out += bytes(4)
        pad(out, ALIGNMENT[kind[1]])
        start = len(out)
        for element in value:
            marshal(out, kind[1:], element, order)
        out[at:at + 4] = struct.pack(order + "I", len(out) - start)
    else:
        for part, element in zip(types(kind[1:-1]), value, strict=True):
            marshal(out, part, element, order)


def body(signature, values, order="<"):
    out = bytearray()
    for kind, value in zip(types(signature), values, strict=True):
        marshal(out, kind, value, order)
    return out


def unmarshal(data, at, kind, order):
    code = kind[0]
    at += -at % ALIGNMENT[code]
    if code in FORMAT:
        size = struct.calcsize(FORMAT[code])
        return struct.unpack_from(order + FORMAT[code], data, at)[0], at + size
    if code in "so":
        start = at + 4
        end = start + struct.unpack_from(order + "I", data, at)[0]
        return bytes(data[start:end]).decode(), end + 1
    if code == "g":
        end = at + 1 + data[at]
        return bytes(data[at + 1:end]).decode(), end + 1
    if code == "v":
        kind, at = unmarshal(data, at, "g", order)
        value, at = unmarshal(data, at, kind, order)
        return (kind, value), at
    if code == "a":
        end = at + 4 + struct.unpack_from(order + "I", data, at)[0]
        at += 4
        aligned = at + -at % ALIGNMENT[kind[1]]
        end += aligned - at
        at, values = aligned, []
        while at < end:
            value, at = unmarshal(data, at, kind[1:], order)
            values.append(value)
        return values, at
    values = []
    for part in types(kind[1:-1]):
        value, at = unmarshal(data, at, part, order)
        values.append(value)
    return tuple(values), at


def message(kind, serial, fields, signature="", values=(), flags=0, order="<", data=None):
    """A whole message. `fields`: (code, type, value) of its header; `data`: a body made before."""
    data = body(signature, values, order) if data is None else data
    if signature:
        fields = [*fields, (8, "g", signature)]
    out = bytearray(struct.pack(order + "BBBBII", ord("l" if order == "<" else "B"), kind, flags, 1,
                                len(data), serial))
    marshal(out, "a(yv)", [(code, (kind, value)) for code, kind, value in fields], order)
    pad(out, 8)
    return out + data


class Message:
    def __init__(self, data):
        self.data = data
        self.order = "<" if data[0] == ord("l") else ">"
        self.kind = data[1]
        fields, at = unmarshal(data, 12, "a(yv)", self.order)
        self.start = at + -at % 8
        self.fields = {code: value for code, (_, value) in fields}

    serial = property(lambda self: struct.unpack_from(self.order + "I", self.data, 8)[0])
    path = property(lambda self: self.fields.get(1))
    interface = property(lambda self: self.fields.get(2))
    member = property(lambda self: self.fields.get(3))
    error = property(lambda self: self.fields.get(4))
    reply_to = property(lambda self: self.fields.get(5))
    sender = property(lambda self: self.fields.get(7))
    signature = property(lambda self: self.fields.get(8, ""))

    @property
    def values(self):
        # Alignment counts from the beginning of the message, of which a body begins at a multiple of 8.
        at, values = self.start, []
        for kind in types(self.signature):
            value, at = unmarshal(self.data, at, kind, self.order)
            values.append(value)
        return values


def allow_connections():
    """As many as there may ever be."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


class Bus:
    """A connection to a bus at a socket's path; `descriptors`: one that may pass some on."""

    def __init__(self, path, descriptors=False):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(path)
        self.serial = 0
        self.received = bytearray()
        self.signals = []
        self.socket.sendall(b"\0AUTH EXTERNAL " + str(os.getuid()).encode().hex().encode() + b"\r\n")
        self.line()
        if descriptors:
            self.socket.sendall(b"NEGOTIATE_UNIX_FD\r\n")
            self.line()
        self.socket.sendall(b"BEGIN\r\n")
        self.name = self.call(*BUS, "Hello").values[0]

    def line(self):
        while b"\r\n" not in self.received:
            self.more(10)
        line, _, rest = bytes(self.received).partition(b"\r\n")
        self.received[:] = rest
        return line

    def more(self, patience):
        self.socket.settimeout(patience)
        try:
            data = self.socket.recv(1 << 20)
        except TimeoutError:
            raise Late from None
        except ConnectionError:
            raise Lost from None
        if not data:
            raise Lost
        self.received += data

    def post(self, data, descriptors=()):
        self.socket.settimeout(None)
        try:
            if descriptors:
                rights = (socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", descriptors))
                data = data[self.socket.sendmsg([data], [rights]):]
            self.socket.sendall(data)
        except ConnectionError:
            raise Lost from None

    def send(self, destination, path, interface, member, signature="", *values, kind=CALL, flags=0,
             order="<", data=None, descriptors=()):
        """Sends a call, or a signal. Returns its serial number."""
        self.serial += 1
        fields = [(1, "o", path), (2, "s", interface), (3, "s", member)]
        if destination:
            fields.append((6, "s", destination))
        if descriptors:
            fields.append((9, "u", len(descriptors)))
        self.post(message(kind, self.serial, fields, signature, values, flags, order, data), descriptors)
        return self.serial

    def take(self, patience=30):
        """The next message."""
        received = self.received
        while True:
            if len(received) >= 16:
                order = "<" if received[0] == ord("l") else ">"
                length, _, fields = struct.unpack_from(order + "III", received, 4)
                length += 16 + fields + -fields % 8
                if len(received) >= length:
                    data = bytes(received[:length])
                    del received[:length]
                    return Message(data)
            self.more(patience)

    def reply(self, patience=30):
        """The next reply; signals on the way are kept in `signals`."""
        while (found := self.take(patience)).kind not in (RETURN, ERROR):
            self.signals.append(found)
        return found

    def call(self, *arguments, patience=30, **options):
        serial = self.send(*arguments, **options)
        while (found := self.reply(patience)).reply_to != serial:
            pass
        return found

    def match(self, rule):
        self.call(*BUS, "AddMatch", "s", rule)

    def own(self, name):
        """Asks for a name that nobody has."""
        self.call(*BUS, "RequestName", "su", name, 4)

    def answer(self, call, signature="", *values):
        self.serial += 1
        self.post(message(RETURN, self.serial, [(5, "u", call.serial), (6, "s", call.sender)], signature, values))

    def close(self):
        self.socket.close()
