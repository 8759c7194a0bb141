"""docker-compose.yml is valid, and starts what `make run` starts."""

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from launcher import commands

ROOT = Path(__file__).resolve().parents[2]
COMPOSE = ROOT / "docker-compose.yml"
BAD = "services: {web: {image: x, comand: [a]}}"


@pytest.fixture(scope="module")
def services() -> dict[str, Any]:
    return dict(yaml.safe_load(COMPOSE.read_text())["services"])


def validate(path: Path) -> subprocess.CompletedProcess[str]:
    schema = ("--builtin-schema", "vendor.compose-spec")
    command = [sys.executable, "-m", "check_jsonschema", *schema, str(path)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_the_file_follows_the_compose_specification() -> None:
    result = validate(COMPOSE)
    assert result.returncode == 0, result.stdout


def test_the_validation_can_fail(tmp_path: Path) -> None:
    (tmp_path / "docker-compose.yml").write_text(BAD)
    assert validate(tmp_path / "docker-compose.yml").returncode == 1


def test_every_room_of_the_service_is_there(services: dict[str, Any]) -> None:
    expected = {"web", "worker", "worker-gpu", "redis", "postgres", "migrate"}
    assert set(services) == expected


@pytest.mark.parametrize(
    ("service", "command"),
    [
        ("migrate", commands.migrate("python")),
        ("web", commands.web("python", "0.0.0.0", 8000)),
        ("worker", commands.worker("python", ("cpu",))),
        ("worker-gpu", commands.worker("python", ("cuda",))),
    ],
)
def test_the_command_is_the_launchers(
    service: str, command: commands.Command, services: dict[str, Any]
) -> None:
    assert tuple(services[service]["command"]) == command


def test_only_the_gpu_profile_asks_for_a_gpu(services: dict[str, Any]) -> None:
    gpu = services["worker-gpu"]
    (device,) = gpu["deploy"]["resources"]["reservations"]["devices"]
    assert gpu["profiles"] == ["gpu"]
    assert device == {"driver": "nvidia", "count": 1, "capabilities": ["gpu"]}
    assert [name for name, service in services.items() if "deploy" in service] == ["worker-gpu"]


def test_no_secret_has_a_default() -> None:
    for name in ("FUSELAB_SECRET_KEY", "POSTGRES_PASSWORD"):
        uses = re.findall(rf"\${{{name}(..)", COMPOSE.read_text())
        assert uses and set(uses) == {":?"}, f"{name} must come from the environment"


# Not a container's to choose: groups are handed to none, nobody's own account is in one, and what a
# worker tells its compilers it finds out by itself.
NOT_PASSED = {"FUSELAB_CGROUP", "FUSELAB_SANDBOX", "FUSELAB_FIGURES", "FUSELAB_DEBUG"}


def test_a_setting_of_the_readme_reaches_the_containers(services: dict[str, Any]) -> None:
    """Else who sets FUSELAB_PROXIES in .env, as strangers' coming asks for, has set nothing."""
    listed = set(re.findall(r"^\| `([A-Z_]+)` \|", (ROOT / "README.md").read_text(), re.MULTILINE))
    assert listed > NOT_PASSED
    for name in ("web", "worker", "worker-gpu"):
        assert set(services[name]["environment"]) == listed - NOT_PASSED


def test_a_setting_that_is_not_made_is_the_usual_one(services: dict[str, Any]) -> None:
    own = {"DATABASE_URL", "REDIS_URL", "FUSELAB_SECRET_KEY", "FUSELAB_ALLOWED_HOSTS"}
    for name in set(services["web"]["environment"]) - own:
        assert services["web"]["environment"][name] == f"${{{name}:-}}", name


def test_the_health_checks_own_address_is_served_whatever_names_are_chosen() -> None:
    (hosts,) = re.findall(r"FUSELAB_ALLOWED_HOSTS: (.+)", COMPOSE.read_text())
    assert hosts.endswith("},127.0.0.1")


def test_what_lasts_is_on_a_volume_and_answers_a_healthcheck(services: dict[str, Any]) -> None:
    for name in ("postgres", "redis"):
        assert services[name]["volumes"], name
        assert services[name]["healthcheck"]["test"], name
    assert services["web"]["healthcheck"]["test"]
