"""A dbus-daemon and a home for one run of the service, in a directory that goes away with it."""

import multiprocessing
import os
import shutil
import signal
import subprocess
import tempfile
import time

from dbus_wire import BUS, RETURN, Bus, Late, Lost
from files import write
from navigation import NAME, SERVICE, has_owner
from tool import until

HERE = os.path.dirname(os.path.abspath(__file__))


def places():
    """Directories for homes: on a disk most of the time goes into waiting for it, in memory into everything else."""
    return [tempfile.gettempdir()] + (["/dev/shm"] if os.access("/dev/shm", os.W_OK) else [])


class Session:
    """The service on a bus of its own, and recording applications; nothing else is reached."""

    def __init__(self, command, slow=1, place=None):
        self.slow = slow
        self.directory = tempfile.mkdtemp(prefix="sovereign-navigation-test.", dir=place)
        self.home, self.socket = f"{self.directory}/home", f"{self.directory}/bus"
        self.command, self.service, self.bus = command, None, None
        self.log = open(f"{self.directory}/log", "w+b")
        for name in ["home/.config", "home/.local/share/applications", "services", "etc"]:
            os.makedirs(f"{self.directory}/{name}")
        os.mkdir(f"{self.directory}/run", 0o700)
        passed = [name for name in os.environ if name.endswith("SAN_OPTIONS")] + ["LD_LIBRARY_PATH"]
        self.environment = {
            "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "HOME": self.home, "DISPLAY": ":77",
            "XDG_RUNTIME_DIR": f"{self.directory}/run", "XDG_CONFIG_DIRS": f"{self.directory}/etc",
            "XDG_DATA_DIRS": f"{self.directory}/share",
            "DBUS_SESSION_BUS_ADDRESS": f"unix:path={self.socket}", "SWIFT_BACKTRACE": "enable=no",
            **{name: os.environ[name] for name in passed if name in os.environ}}
        self.start_bus()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def start_bus(self):
        with open(f"{self.directory}/bus.conf", "w") as file:
            subprocess.run([f"{HERE}/bus-config", self.socket, f"{self.directory}/services"],
                           stdout=file, check=True)
        self.bus = subprocess.Popen(
            ["dbus-daemon", f"--config-file={self.directory}/bus.conf", "--nofork", "--nopidfile",
             "--print-address"], env=self.environment, stdout=subprocess.PIPE, stderr=self.log)
        # Printed once it listens.
        if not self.bus.stdout.readline():
            raise SystemExit("dbus-daemon did not start")

    def install(self, name, schemes, *keys, program=None):
        """An application that makes a file as long as the number of its starts."""
        record = f"{self.directory}/{name}.record"
        if not program:
            program = self.write_program(name, f"printf . >>'{record}'")
        types = "".join(f"x-scheme-handler/{scheme};" for scheme in schemes)
        write(f"{self.home}/.local/share/applications/{name}.desktop", "\n".join([
            "[Desktop Entry]", "Type=Application", f"Name={name}", f"Exec={program} %u",
            f"MimeType={types}", *keys, ""]))

    def starts(self, name):
        try:
            return os.path.getsize(f"{self.directory}/{name}.record")
        except FileNotFoundError:
            return 0

    def install_applications(self):
        self.install("browser", ["http", "https"])
        self.install("shell", ["sovereign"], "X-Sovereign-Shell=true")
        self.install("mail", ["mailto"])

    def install_on_bus(self, name, schemes, script):
        """An application that the bus starts by running `script`, in shell."""
        self.install(name, schemes, "DBusActivatable=true", program="/bin/false")
        self.write_service(name, self.write_program(name, script))

    def let_bus_start(self):
        """Has the bus start the service when it is called."""
        self.write_service(NAME, " ".join(self.command))
        Bus(self.socket).call(*BUS, "ReloadConfig")

    def write_program(self, name, script):
        program = f"{self.directory}/{name}.program"
        write(program, f"#!/bin/sh\n{script}\n", 0o755)
        return program

    def write_service(self, name, command):
        write(f"{self.directory}/services/{name}.service", f"[D-BUS Service]\nName={name}\nExec={command}\n")

    def start(self):
        """Starts the service, and waits until it has its name."""
        watch = Bus(self.socket)
        self.service = subprocess.Popen(self.command, env=self.environment, stdin=subprocess.DEVNULL,
                                        stdout=self.log, stderr=self.log, cwd=self.directory)
        until(lambda: has_owner(watch) or self.service.poll() is not None, 10 * self.slow)
        if not has_owner(watch):
            raise SystemExit(f"the service did not start:\n{self.messages()}")
        watch.close()

    def stop(self):
        """Ends the service as systemd does. Returns its status."""
        self.service.terminate()
        try:
            return self.service.wait(20 * self.slow)
        except subprocess.TimeoutExpired:
            self.kill()
            return "none: it had to be killed"

    def kill(self):
        self.service.kill()
        self.service.wait()

    def messages(self, count=40):
        with open(f"{self.directory}/log", errors="replace") as file:
            return "".join(file.readlines()[-count:])

    def memory(self):
        """What the service has allocated, in kB. Its share of the program's own pages is left out: that
        changes with who else runs it."""
        return self.kilobytes("smaps_rollup", "Pss_Anon")

    def forget_peak(self):
        with open(f"/proc/{self.service.pid}/clear_refs", "w") as file:
            file.write("5")

    def peak(self):
        """The most memory that the service has used since then, in kB."""
        return self.kilobytes("status", "VmHWM")

    def kilobytes(self, file, name):
        with open(f"/proc/{self.service.pid}/{file}") as lines:
            return next(int(line.split()[1]) for line in lines if line.startswith(f"{name}:"))

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.service.pid}/fd"))

    def processes(self):
        """The processes that run in the home, besides the bus."""
        mine, found = f"HOME={self.home}".encode(), []
        for pid in map(int, filter(str.isdigit, os.listdir("/proc"))):
            try:
                with open(f"/proc/{pid}/environ", "rb") as file:
                    if pid != self.bus.pid and mine in file.read().split(b"\0"):
                        found.append(pid)
            except (FileNotFoundError, ProcessLookupError, PermissionError):
                pass
        return found

    def close(self):
        for process in [self.service, self.bus]:
            if process and process.poll() is None:
                process.kill()
                process.wait()
        # What was started is in sessions of its own, and may still write.
        for pid in self.processes():
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        self.log.close()
        shutil.rmtree(self.directory, ignore_errors=True)


# What the answers are does not depend on what others set.
QUESTIONS = [
    ((*SERVICE, "Decide", "s", url), answer) for url, answer in [
        ("mailto:a@b.example", "handler"), ("javascript:alert(1)", "blocked"), ("sovereign://oauth/x", "shell")]]
BUS_QUESTIONS = [((*BUS, "NameHasOwner", "s", NAME), True)]


class Witness:
    """A well-behaved client, in a process of its own: how long it is kept waiting."""

    def __init__(self, socket, questions, patience=30):
        self.pipe, other = multiprocessing.Pipe()
        self.process = multiprocessing.Process(
            target=self.watch, args=(socket, questions, other, patience), daemon=True)
        self.process.start()

    @staticmethod
    def watch(socket, questions, pipe, patience):
        bus = Bus(socket)
        times, wrong = [], []

        def ask(question, expected):
            start = time.monotonic()
            try:
                reply = bus.call(*question, patience=patience)
                if reply.kind != RETURN or reply.values != [expected]:
                    wrong.append(f"{question[-1]}: {reply.error or reply.values}")
            except (Late, Lost) as problem:
                wrong.append(f"{question[-1]}: {type(problem).__name__}")
            times.append(time.monotonic() - start)

        while True:
            for question in questions:
                ask(*question)
                if pipe.poll(0.01):
                    if pipe.recv() is None:
                        return
                    pipe.send((times, wrong))
                    times, wrong = [], []

    def report(self):
        """The times, in seconds, and the wrong answers since the last report."""
        self.pipe.send(True)
        return self.pipe.recv()

    def close(self):
        self.pipe.send(None)
        self.process.join()
