"""Prepares a checkout: .venv with the tested versions, and on Linux the libraries that Qt opens.

Pure standard library, run by any Python from 3.7 on: `python3 packaging/prepare.py [--test]`.
Repeated runs take under a second while nothing changed.
"""

from __future__ import annotations

import argparse
import collections
import ctypes
import hashlib
import importlib.util
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple, NoReturn

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
STAMP = VENV / "prepared.json"
INPUTS = ("pyproject.toml", "packaging/constraints.txt")
OLDEST = (3, 11)
NEWER_NAMES = ("python3.13", "python3.12", "python3.11")
TEST_PROGRAMS = {"Xvfb": "xvfb", "xdotool": "xdotool"}  # program -> Debian package
SHOWN_BY_PIP = ("Collecting", "Downloading", "Installing", "Building", "Using cached", "Successfully")
SIGNS_OF_NO_NETWORK = (
    "NewConnectionError",
    "NameResolutionError",
    "Max retries",
    "timed out",
    "No matching distribution",
    "ResolutionImpossible",  # what old pips say when an index answers nothing
)
LAST_LINES = 12


class Library(NamedTuple):
    """One shared library that Qt opens."""

    soname: str
    package: str
    window_only: bool


def say(text: str) -> None:
    """Print a progress line at once, so that a log shows where a run stands."""
    sys.stdout.write(f"prepare: {text}\n")
    sys.stdout.flush()


def stop(text: str) -> NoReturn:
    """End with one sentence on standard error, exit code 2."""
    sys.stderr.write(f"prepare: {text}\n")
    raise SystemExit(2)


def need_python() -> None:
    """Continue under a newer Python of this machine when this one is too old, or stop with one sentence."""
    if sys.version_info >= OLDEST:
        return
    for name in NEWER_NAMES:
        newer = shutil.which(name)
        # A version manager may list a name that it cannot run.
        if newer and not subprocess.run([newer, "-c", ""], capture_output=True, check=False).returncode:
            say(f"this is Python {sys.version.split()[0]}; going on with {newer}.")
            raise SystemExit(subprocess.call([newer, *sys.argv]))
    have = sys.version.split()[0]
    stop(f"FFN Explorer needs Python 3.11 or newer; this is {have}. Install one and run again.")


def venv_python() -> Path:
    """Return the environment's interpreter, where each platform keeps it."""
    return VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def fingerprint() -> str:
    """Return a hash of all that decides what the environment holds, its place included."""
    digest = hashlib.sha256(f"{ROOT} {sys.version_info[:2]}".encode())
    for name in INPUTS:
        digest.update((ROOT / name).read_bytes())
    return digest.hexdigest()


def is_prepared(*, test: bool) -> bool:
    """Say whether an earlier run finished with the same inputs and at least the same groups."""
    try:
        stamp = json.loads(STAMP.read_text("utf-8"))
        same = bool(stamp["fingerprint"] == fingerprint())
        return same and venv_python().exists() and bool(stamp["test"] or not test)
    except (OSError, ValueError, KeyError, TypeError):
        return False


def works() -> bool:
    """Say whether .venv runs pip under a new enough Python; an interrupted run leaves one that cannot."""
    if not venv_python().exists():
        return False
    check = f"import sys, pip; raise SystemExit(sys.version_info < {OLDEST!r})"
    try:
        return (
            subprocess.run([str(venv_python()), "-c", check], capture_output=True, check=False).returncode
            == 0
        )
    except OSError:
        return False


def make_venv() -> None:
    """Make .venv, or make it anew when an earlier run left it half made."""
    if works():
        return
    if any(importlib.util.find_spec(module) is None for module in ("venv", "ensurepip")):
        minor = sys.version_info[1]
        stop(
            f"this Python cannot make environments; on Debian or Ubuntu run: apt install python3.{minor}-venv"
        )
    say("making .venv")
    made = subprocess.run(
        [sys.executable, "-m", "venv", "--clear", str(VENV)], capture_output=True, text=True, check=False
    )
    if made.returncode:
        stop(f"the environment could not be made in {VENV}: {(made.stderr or made.stdout).strip()[-400:]}")


def install(*, test: bool) -> None:
    """Install the pinned dependencies and the checkout itself, and note it only when all went well."""
    STAMP.unlink(missing_ok=True)
    target = ".[test]" if test else "."
    say("installing the tested versions (the first time this takes some minutes)")
    command = [str(venv_python()), "-m", "pip", "install", "--disable-pip-version-check", "--no-input"]
    command += ["-c", str(ROOT / "packaging" / "constraints.txt"), "-e", target]
    last: collections.deque[str] = collections.deque(maxlen=LAST_LINES)
    offline = False
    with subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace"
    ) as pip:
        assert pip.stdout is not None  # a pipe was asked for
        for line in pip.stdout:
            last.append(line.rstrip())
            offline = offline or any(sign in line for sign in SIGNS_OF_NO_NETWORK)
            if line.strip().startswith(SHOWN_BY_PIP):
                say(f"  {line.strip()[:100]}")
    if pip.returncode:
        shown = "\n  ".join(last)
        why = (
            "the package registry cannot be reached; connect and run again"
            if offline
            else "see its last lines"
        )
        stop(f"pip could not install the dependencies: {why}\n  {shown}")
    waiting = STAMP.with_suffix(".new")
    waiting.write_text(json.dumps({"fingerprint": fingerprint(), "test": test}), "utf-8")
    waiting.replace(STAMP)


def libraries() -> list[Library]:
    """Read qt_libraries.txt."""
    rows = (ROOT / "packaging" / "qt_libraries.txt").read_text("utf-8").splitlines()
    fields = [row.split() for row in rows if row.strip() and not row.startswith("#")]
    return [Library(soname, package, when == "window") for soname, package, when in fields]


def is_loadable(soname: str) -> bool:
    """Say whether the dynamic linker finds a library."""
    try:
        ctypes.CDLL(soname)
    except OSError:
        return False
    return True


def as_root() -> list[str] | None:
    """Return what to put before a command that needs root: nothing, sudo, or None where neither works."""
    if os.geteuid() == 0:
        return []
    sudo = shutil.which("sudo")
    if sudo and subprocess.run([sudo, "-n", "true"], capture_output=True, check=False).returncode == 0:
        return [sudo, "-n"]
    return None


def apt_install(packages: list[str]) -> bool:
    """Install Debian packages, after refreshing the lists, and say whether it worked."""
    prefix = as_root()
    if prefix is None or not shutil.which("apt-get"):
        return False
    say(f"installing system packages: {' '.join(packages)}")
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for command in (["update", "-q"], ["install", "-q", "-y", "--no-install-recommends", *packages]):
        done = subprocess.run(
            [*prefix, "apt-get", *command],
            env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
        )  # fmt: skip
    if done.returncode:
        last = (done.stderr or done.stdout).strip().splitlines()[-1:]
        say(f"apt-get failed: {''.join(last)}")
    return done.returncode == 0


def ordered(packages: list[str]) -> list[str]:
    """Return each package once, in the order of first mention."""
    return list(dict.fromkeys(packages))


def prepare_system(*, test: bool) -> None:
    """Install the libraries that Qt lacks on this Linux machine, or name them; never an error."""
    missing = [library for library in libraries() if not is_loadable(library.soname)]
    wanted = ordered([library.package for library in missing])
    if test:
        wanted += [package for program, package in TEST_PROGRAMS.items() if not shutil.which(program)]
    if not wanted or apt_install(wanted):
        return
    command = f"sudo apt-get update && sudo apt-get install {' '.join(wanted)}"
    if not missing:
        say(f"tests that need a real X window will be skipped; to run them too: {command}")
        return
    sonames = " ".join(library.soname for library in missing)
    without = "open a window" if all(library.window_only for library in missing) else "start"
    say(f"Qt cannot {without} without {sonames}; on Debian or Ubuntu run: {command}")


def main() -> None:
    """Prepare everything this checkout needs."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--test", action="store_true", help="also what the tests and static checks need")
    parser.add_argument("--no-system", action="store_true", help="leave the system's packages alone")
    options = parser.parse_args()
    need_python()
    if sys.platform.startswith("linux") and not options.no_system:
        prepare_system(test=options.test)
    if is_prepared(test=options.test):
        return
    make_venv()
    try:
        install(test=options.test)
    except KeyboardInterrupt:
        stop("interrupted; run it again, it takes up where it left off.")
    say("ready")


if __name__ == "__main__":
    main()
