"""A terminal in which a command runs, for tests that read what it shows and type answers."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import select
import signal
import struct
import termios
import time

PATIENCE = 20.0


class Screen:
    """A terminal in which the command runs."""

    def __init__(self, command, env, cwd):
        self.shown = b""
        self.pid, self.handle = pty.fork()
        if self.pid == 0:
            try:
                fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 100, 80, 0, 0))
                os.chdir(cwd)
                os.execve(command[0], command, env)
            finally:
                os._exit(99)

    @property
    def text(self):
        return self.shown.decode("utf-8", "replace").replace("\r\n", "\n")

    def read_until(self, text, *, after=""):
        end = time.monotonic() + PATIENCE
        while after not in self.text or text not in self.text[self.text.index(after) :]:
            assert time.monotonic() < end, f"never saw {text!r} in {self.text!r}"
            assert self._read(), f"it ended before {text!r}: {self.text!r}"
        return self.text

    def _read(self):
        if not select.select([self.handle], [], [], 0.1)[0]:
            return True
        try:
            data = os.read(self.handle, 65536)
        except OSError:
            return False
        self.shown += data
        return bool(data)

    def type(self, keys):
        os.write(self.handle, keys.encode())

    def status(self):
        """The exit status, once everything that was shown is read."""
        end = time.monotonic() + PATIENCE
        while self._read():
            assert time.monotonic() < end, f"it does not end: {self.text!r}"
        _, status = os.waitpid(self.pid, 0)
        self.pid = 0
        return os.waitstatus_to_exitcode(status)

    def close(self):
        if self.pid:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        os.close(self.handle)
