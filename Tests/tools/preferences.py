"""The files that the preferences are in, below a home, and what they say."""

import json

FILE = ".config/sovereign/navigation.conf"
GOOD = ".local/state/sovereign/navigation.conf.good"
STORE = ".local/share/fs.sovereign.desktop/instances.json"
# Nothing of the service's, which it has to keep.
MINE = "# Mine.\n\n[Mine]\nkey = value\n"


def conf(active, instances=(), *lines, head="# Mine.\n"):
    """A preference file that was written by hand. An instance: origin, label and, perhaps, when it was added."""
    text = "\n".join([f"{head}[Navigation]", f"ActiveOrigin={active}", *lines, ""])
    for number, instance in enumerate(instances, 1):
        pairs = zip(["Origin", "Label", "AddedAt"], instance)
        text += "\n".join([f"[Instance {number}]", *(f"{key}={value}" for key, value in pairs), ""])
    return text


def store(active, instances):
    """A shell's store of the same."""
    return json.dumps({"activeUrl": active, "instances": [
        dict(zip(["url", "label", "addedAt"], instance)) for instance in instances]})


def said(text):
    """What a preference file says: options, the labels of instances by their origins, and whether it begins with
    what was MINE. Returns what is no preference file as it is."""
    groups, group = {}, None
    for line in (text or "").splitlines():
        if line.startswith("["):
            group = groups.setdefault(line, {})
        elif "=" in line and group is not None:
            key, value = line.split("=", 1)
            group[key] = value
    if "[Navigation]" not in groups:
        return text
    options = {key: value.rstrip(";") for key, value in groups["[Navigation]"].items() if value}
    # Without a label an instance is called by its host and port.
    instances = {group.get("Origin"): group.get("Label") or group.get("Origin", "").partition("://")[2]
                 for name, group in groups.items() if name.startswith("[Instance ")}
    return options, instances, text.startswith(MINE)


def options(text):
    """The options that a preference file says."""
    found = said(text)
    return found[0] if isinstance(found, tuple) else {}
