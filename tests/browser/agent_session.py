"""A session of the SDK's own client with the server: calls come as JSON lines on standard input,
[tool, arguments]; what each gave goes to standard output, {"error", "content", "progress"}.

Run by the environment that has the SDK: `python -m tests.browser.agent_session ADDRESS`.
"""

import json
import sys
from pathlib import Path
from typing import Any

import anyio
from mcp import Client, StdioServerParameters

ROOT = Path(__file__).resolve().parents[2]


async def main(address: str) -> None:
    server = StdioServerParameters(
        command=sys.executable, args=["-m", "agents.server", address], cwd=ROOT
    )
    async with Client(server) as client:
        tools = (await client.list_tools()).tools
        say({"tools": {tool.name: tool.description for tool in tools}})
        async for line in anyio.wrap_file(sys.stdin):
            say(await called(client, *json.loads(line)))


async def called(client: Client, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    progress: list[float] = []

    async def told(now: float, total: float | None, message: str | None) -> None:
        progress.append(now)

    result = await client.call_tool(tool, arguments, progress_callback=told)
    text = "".join(getattr(part, "text", "") for part in result.content)
    content = result.structured_content if not result.is_error else text
    return {"error": result.is_error, "content": content, "progress": len(progress)}


def say(what: object) -> None:
    sys.stdout.write(json.dumps(what) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    anyio.run(main, sys.argv[1])
