"""Child processes of a fleet: started with a log of their own, watched, stopped, and found again after a crash."""

import contextlib
import json
import signal
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar, Final

import psutil

from fleetmem.admin.postgres.place import private_file
from fleetmem.config import Settings, child_environment
from fleetmem.errors import SetupInvalid

GRACE_S: Final = 20.0
_REPAIR_FIRST: Final = 78  # what each of our services ends with when nobody but the owner can help
MODULES: Final = ("fleetmem_gateway", "fleetmem.worker")


@dataclass(slots=True)
class Child:
    """One child process: a module of ours, told by `arguments` what it is to be."""

    module: ClassVar[str]

    what: str
    settings: Settings
    restarts: int = field(default=0, kw_only=True)
    process: subprocess.Popen[bytes] | None = field(default=None, repr=False, kw_only=True)

    @property
    def arguments(self) -> tuple[str, ...]:
        """What the module is called with."""
        return ()

    @property
    def listens_at(self) -> tuple[str | None, int | None]:
        """The host and port it listens on, where it does."""
        return None, None

    @property
    def log(self) -> Path:
        """The file its standard output and error go to."""
        return self.settings.home / "log" / f"{self.what}.log"

    def start(self) -> None:
        """Start the process."""
        with self.log.open("ab") as log:
            self.log.chmod(0o600)
            self.process = subprocess.Popen(
                [sys.executable, "-m", self.module, *self.arguments],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env=child_environment(self.settings),
                start_new_session=True,
            )
        self._remember()

    @property
    def has_ended(self) -> bool:
        """Whether the process was started and is no more."""
        return self.process is not None and self.process.poll() is not None

    def refuse_broken(self) -> None:
        """See that it did not end because something must be repaired first.

        Raises:
            SetupInvalid: it did; the message ends with its last words.
        """
        if self.process is not None and self.process.poll() == _REPAIR_FIRST:
            raise SetupInvalid(f"the {self.what} process refuses to start:\n{self.last_words()}")

    def stop(self) -> None:
        """End it: what is in flight is finished first, for as long as the grace lasts."""
        if self.process is None:
            return
        for number, patience_s in ((signal.SIGTERM, GRACE_S), (signal.SIGKILL, None)):
            if self.process.poll() is not None:
                break
            self.process.send_signal(number)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(patience_s)
        self.process = None

    def last_words(self) -> str:
        """The end of its log."""
        lines = self.log.read_text(encoding="utf-8", errors="replace").splitlines()
        return "\n".join(lines[-8:])

    def _remember(self) -> None:
        assert self.process is not None  # noqa: S101 -- called by what started it
        pid = self.process.pid
        with contextlib.suppress(psutil.NoSuchProcess):
            told = [pid, psutil.Process(pid).create_time(), *self.listens_at]
            private_file(self.settings.home / "run" / f"{self.what}.pid", json.dumps(told) + "\n")


def end_leftovers(home: Path) -> int:
    """End the children that a killed supervisor left behind; how many there were."""
    ended = 0
    for path in sorted((home / "run").glob("*.pid")):
        process = recalled(path)
        if process is not None:
            with contextlib.suppress(psutil.NoSuchProcess):
                family = [process, *process.children(recursive=True)]
                for each in family:
                    each.terminate()
                _, stubborn = psutil.wait_procs(family, timeout=5)
                for each in stubborn:
                    each.kill()
                ended += 1
        path.unlink(missing_ok=True)
    return ended


def recalled(path: Path) -> psutil.Process | None:
    """The process a pid file speaks of; None when it is gone, or its number is another process's by now."""
    try:
        pid, created, _, _ = json.loads(path.read_text(encoding="ascii"))
        process = psutil.Process(pid)
        ours = process.create_time() == created and not set(MODULES).isdisjoint(process.cmdline())
    except (OSError, ValueError, TypeError, psutil.Error):
        return None
    return process if ours else None
