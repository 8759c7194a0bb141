"""`python -m launcher --port 8000`: migrate, then Redis, web and worker until Ctrl-C."""

import argparse
import asyncio
import os
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path

from launcher import commands
from launcher.embedded_redis import embedded_redis
from launcher.printing import printer
from launcher.supervisor import Service, Supervisor

ROOT = Path(__file__).parent.parent
HOST = "127.0.0.1"


def main() -> int:
    """The exit code: 0 after Ctrl-C, 1 where something failed, 2 for a port that cannot be used."""
    parser = argparse.ArgumentParser(prog="launcher", description=__doc__)
    parser.add_argument("--port", type=int, default=8000)
    port = parser.parse_args().port
    if problem := port_problem(port):
        print(problem, file=sys.stderr)
        return 2
    os.chdir(ROOT)
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    if subprocess.run(commands.migrate(sys.executable), env=environment, check=False).returncode:
        print("The database could not be migrated; the lines above say why.", file=sys.stderr)
        return 1
    return asyncio.run(serve(port, environment))


def port_problem(port: int) -> str | None:
    """Why the page cannot be served at `port`, as one sentence with the remedy."""
    if not 0 < port < 65536:
        return f"{port} is no port; choose one from 1 to 65535: make run PORT=8000"
    with socket.socket() as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((HOST, port))
        except OSError as error:
            other = port + 1 if port < 65535 else 8000
            return f"Port {port} cannot be used ({error.strerror}); try: make run PORT={other}"
    return None


async def serve(port: int, environment: dict[str, str]) -> int:
    """Runs all services until they are stopped; the exit code."""
    log = printer(("redis", "worker", "web", "fuselab"))
    url = f"http://{HOST}:{port}"
    services = [
        Service("worker", commands.worker(sys.executable, commands.QUEUES)),
        Service("web", commands.web(sys.executable, HOST, port), ready=lambda: answers(url)),
    ]
    if not environment.get("REDIS_URL"):
        redis = embedded_redis(ROOT / "var" / "redis")
        environment["REDIS_URL"] = redis.url
        services.insert(0, redis.service)
    supervisor = Supervisor(environment, log)
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, supervisor.stop)
    ended = await supervisor.run(
        services, ready=lambda: log("fuselab", f"Fuselab is at {url}  (Ctrl-C stops everything)")
    )
    log("fuselab", str(ended) if ended else "stopped")
    return 1 if ended else 0


async def answers(url: str) -> None:
    """Returns when the page itself comes."""
    while not await asyncio.to_thread(_answers, url):
        await asyncio.sleep(0.2)


def _answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=5) as response:
            return bool(response.status == 200)
    except (urllib.error.URLError, OSError):
        return False


if __name__ == "__main__":
    sys.exit(main())
