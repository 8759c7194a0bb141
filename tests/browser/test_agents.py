"""The MCP server before the service, through the client of the official SDK."""

import json
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from compiler_core.environments import find
from tests.browser.steps import GELU, new

pytestmark = pytest.mark.extra("mcp")
ROOT = Path(__file__).resolve().parents[2]

Call = Callable[..., dict[str, Any]]


@pytest.fixture(scope="module")
def session(live_stack: str) -> Iterator[tuple[Call, dict[str, str]]]:
    """A way to call tools, and the tools that there are."""
    command = [find("mcp").python, "-m", "tests.browser.agent_session", live_stack]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=pipe, text=True) as process:
        assert process.stdin and process.stdout
        tools = json.loads(process.stdout.readline())["tools"]

        def call(tool: str, **arguments: object) -> dict[str, Any]:
            assert process.stdin and process.stdout
            process.stdin.write(json.dumps([tool, arguments]) + "\n")
            process.stdin.flush()
            return json.loads(process.stdout.readline())

        yield call, tools
        process.stdin.close()


@pytest.fixture
def call(session: tuple[Call, dict[str, str]]) -> Call:
    return session[0]


def test_there_are_four_tools_each_with_what_it_does(
    session: tuple[Call, dict[str, str]],
) -> None:
    assert set(session[1]) == {"run", "read_report", "compare", "list_examples"}
    assert all(session[1].values())


def test_a_snippet_is_run_to_its_end_and_its_parts_are_read(call: Call, live_stack: str) -> None:
    made = call("run", source=new(GELU), options={"measure": False})
    told = made["content"]
    assert (told["state"], told["link"]) == ("done", f"{live_stack}/r/{told['run']}")
    (program,) = told["programs"]
    assert program["name"] == "bias_gelu"
    assert (program["launches"]["core"], program["kernels"]) == (1, 1)
    assert made["progress"] > 0

    read = {part: call("read_report", run=told["run"], part=part)["content"] for part in PARTS}
    assert read["kernels"]["launches"][0]["lines"] == [5, 6]
    assert read["stages"]["stages"][0]["name"] == "capture"
    assert "return F.gelu(y)" in read["source"]["source"]
    path = next(e["path"] for e in read["texts"]["artifacts"] if e["kind"] == "triton")
    text = call("read_report", run=told["run"], part="text", path=path)["content"]
    assert "tl.load" in text["text"] and text["characters"] == len(text["text"])


PARTS = ("summary", "timings", "kernels", "why", "numerics", "stages", "source", "texts")


def test_two_runs_are_compared(call: Call) -> None:
    sources = (GELU, GELU.replace("x + b", "x * b"))
    runs = [call("run", source=s, options={"measure": False})["content"]["run"] for s in sources]
    found = call("compare", a=runs[0], b=runs[1])["content"]
    assert found["link"].endswith(f"/c/{runs[0]}...{runs[1]}")
    assert found["programs"][0]["stages"]


def test_an_example_is_found_by_its_name(call: Call) -> None:
    listed = call("list_examples")["content"]["examples"]
    chosen = call("list_examples", name=listed[0]["name"])["content"]
    assert "import" in chosen["source"]


@pytest.mark.parametrize(
    ("tool", "arguments", "sentence"),
    [
        ("run", {"source": ""}, "source"),
        ("run", {"source": "x", "options": {"target": "sm_1"}}, "target"),
        ("read_report", {"run": "nope"}, "There is no run"),
        ("compare", {"a": "a", "b": "b"}, "There is no run"),
        ("list_examples", {"name": "nope"}, "Choose one of"),
    ],
)
def test_what_the_service_refuses_is_told_in_its_own_words(
    call: Call, tool: str, arguments: dict[str, object], sentence: str
) -> None:
    answer = call(tool, **arguments)
    assert answer["error"] is True
    assert sentence in answer["content"]
