"""The service's name, and what everybody calls it for."""

from dbus_wire import BUS, RETURN, Bus

NAME, PATH = "fs.sovereign.Navigation", "/fs/sovereign/Navigation"
SERVICE = (NAME, PATH, NAME)
ENTRY = f"{NAME}.desktop"
PROPERTIES = "org.freedesktop.DBus.Properties"
# A property's name follows.
GET = (NAME, PATH, PROPERTIES, "Get", "ss", NAME)
GET_ALL = (NAME, PATH, PROPERTIES, "GetAll", "s", NAME)
SIGNALS = f"type='signal',sender='{NAME}',path='{PATH}'"


def listen(socket):
    """A connection that hears what the service announces."""
    bus = Bus(socket)
    bus.match(SIGNALS)
    bus.signals.clear()
    return bus


def values(pairs):
    """Properties by their names, without their types."""
    return {name: value for name, (_, value) in pairs}


def properties(bus):
    return values(bus.call(*GET_ALL).values[0])


def owner_pid(bus, name=NAME):
    """The process that has the name, if any: its number."""
    reply = bus.call(*BUS, "GetConnectionUnixProcessID", "s", name)
    return reply.values[0] if reply.kind == RETURN else None


def has_owner(bus):
    return bool(bus.call(*BUS, "NameHasOwner", "s", NAME).values[0])
