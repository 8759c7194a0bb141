"""The MCP server: four tools over the API.

    python -m agents.server [ADDRESS]

ADDRESS is the service's, http://127.0.0.1:8000 by default. Requests come on standard input, and
answers go to standard output.
"""

import argparse
from typing import Any, Literal

import anyio
from anyio.to_thread import run_sync
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError

from agents.api import Refused, Service, word
from agents.parts import PARTS, summary

ADDRESS = "http://127.0.0.1:8000"
# Between two looks at a run that goes on, in seconds.
LOOK_S = 0.5
# What is read at a time of a text, in characters.
MOST_TEXT = 40_000
_OVER = ("done", "failed", "cancelled")

Part = Literal[
    "summary", "timings", "kernels", "why", "numerics", "stages", "source", "texts", "text"
]

INSTRUCTIONS = """Fuselab compiles PyTorch and JAX snippets, shows every step, fuses operations
into Triton and C kernels, and measures them against eager, TorchInductor and XLA. Run a snippet,
read the summary and the reasons (part "why"), change the snippet or the options, run again, compare
the two. Give people the link of a run: its page shows everything."""


def server(service: Service) -> MCPServer:
    """The server before `service`."""
    app: MCPServer = MCPServer("fuselab", instructions=INSTRUCTIONS)

    @app.tool(name="run")
    async def run(
        source: str,
        ctx: Context,
        options: dict[str, Any] | None = None,
        fresh: bool = False,
        wait_s: float = 120,
    ) -> dict[str, Any]:
        """Compiles, runs and measures a snippet; answers at its end, or after `wait_s` seconds.

        The snippet is Python with PyTorch or JAX, or StableHLO. Inputs of a function that it does
        not call stand in a comment, `# inputs: f32[32,512], f32[512]`. Options, all with defaults:
        inputs (text), device (auto, cpu, cuda), target (auto, none, sm_80, sm_86, sm_89, sm_90,
        sm_100, sm_120, gfx942), compilers (a list of core, inductor, xla, ...), measure (bool),
        insides (a list of dynamo, aot, inductor, xla, ...: look into these), overrides. `fresh`
        measures anew where an identical run was made before."""
        body = {"source": source, "options": options or {}, "fresh": fresh}
        created = await _ask(service.json, "runs", body)
        with anyio.move_on_after(wait_s):
            while (seen := await _seen(service, created["id"]))["state"] not in _OVER:
                await ctx.report_progress(seen["seconds"], message=_doing(seen))
                await anyio.sleep(LOOK_S)
        return _run_summary(service, await _seen(service, created["id"]))

    @app.tool(name="read_report")
    async def read_report(
        run: str, part: Part = "summary", program: int = 0, path: str = "", start: int = 0
    ) -> dict[str, Any]:
        """One part of the report of a run, given by its id.

        summary, timings, kernels, why (graph breaks, recompiles, what was not fused and the reason,
        with remedies), numerics, stages are of one program, by its number. texts lists every text
        of the run (IR before and after each pass, Triton, C, PTX, ...) with its path; text is the
        one at `path`, from the character `start` on. source is the snippet."""
        at = f"runs/{word(run)}"
        if part == "source":
            return {"source": await _ask(service.text, f"{at}/source")}
        if part == "texts":
            return await _ask(service.json, f"{at}/artifacts")
        if part == "text":
            return _piece(await _ask(service.text, f"{at}/artifacts/{word(path)}"), start)
        return PARTS[part](_program(await _seen(service, run), program))

    @app.tool(name="compare")
    async def compare(a: str, b: str) -> dict[str, Any]:
        """What differs between two runs, given by their ids: versions, options, operations,
        kernels, bytes, times, errors, and which stages' texts differ."""
        found = await _ask(service.json, f"runs/{word(a)}/compare/{word(b)}")
        return {"link": service.link(f"/c/{word(a)}...{word(b)}"), **found}

    @app.tool(name="list_examples")
    async def list_examples(name: str = "") -> dict[str, Any]:
        """The examples, by name and title; with a name that one's source."""
        found = (await _ask(service.json, "examples"))["examples"]
        if not name:
            return {"examples": [{k: v for k, v in e.items() if k != "source"} for e in found]}
        chosen = next((each for each in found if each["name"] == name), None)
        if chosen is None:
            names = ", ".join(each["name"] for each in found)
            raise ToolError(f'There is no example "{name}". Choose one of {names}.')
        return chosen

    return app


async def _ask(call: Any, *arguments: object) -> Any:
    """Asks the service on a thread. Raises ToolError, with the service's own sentence."""
    try:
        return await run_sync(call, *arguments)
    except Refused as refused:
        raise ToolError(str(refused)) from None


async def _seen(service: Service, run: str) -> Any:
    return await _ask(service.json, f"runs/{word(run)}?texts=none")


def _program(seen: dict[str, Any], number: int) -> Any:
    """One program of a run. Raises ToolError where it has none with this number."""
    programs = seen["report"]["programs"]
    if 0 <= number < len(programs):
        return programs[number]
    raise ToolError(
        f"The run has {len(programs)} programs, and none with the number {number}: "
        "numbers begin at 0."
    )


def _doing(seen: dict[str, Any]) -> str:
    if seen["state"] == "queued" and seen["ahead"]:
        return f"{seen['ahead']} runs before it"
    programs = seen["report"]["programs"]
    stages = programs[-1]["stages"] if programs else []
    return f"after {stages[-1]['name']}" if stages else seen["state"]


def _run_summary(service: Service, seen: dict[str, Any]) -> dict[str, Any]:
    """A run: its link, and what its programs came to."""
    report = seen["report"]
    return {
        "run": seen["id"],
        "link": service.link(seen["url"]),
        "state": seen["state"],
        "seconds": seen["seconds"],
        "error": report["error"],
        "notices": [notice["text"] for notice in report["notices"]],
        "printed": report["output"]["stdout"][-2000:],
        "device": report["device"]["name"],
        "programs": [summary(program) for program in report["programs"]],
    }


def _piece(text: str, start: int) -> dict[str, Any]:
    end = max(0, start) + MOST_TEXT
    rest = {} if end >= len(text) else {"next_start": end}
    return {"text": text[max(0, start) : end], "characters": len(text), **rest}


def main() -> None:
    parser = argparse.ArgumentParser(description="Fuselab as an MCP server, over standard streams.")
    parser.add_argument("address", nargs="?", default=ADDRESS, help=f"the service, {ADDRESS}")
    server(Service(parser.parse_args().address)).run()


if __name__ == "__main__":
    main()
