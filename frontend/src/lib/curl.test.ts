import { expect, test } from "vitest";
import { DEFAULT_OPTIONS } from "../wire";
import { quoted, readCommands, runCommand } from "./curl";

/** The words of a command as a POSIX shell reads them. */
function words(command: string): string[] {
  const found: string[] = [""];
  for (const [part, quote, sign] of command.matchAll(/'([^']*)'|\\([^])|\s+|[^\s'\\]+/g)) {
    if (/^\s+$/.test(part)) found.push("");
    else if (sign !== "\n") found[found.length - 1] += quote ?? sign ?? part;
  }
  return found.filter(Boolean);
}

test("a shell reads a text as it is", () => {
  const text = 'it\'s "$HOME" `id` \\ \n!';
  expect(words(`printf ${quoted(text)}`)).toEqual(["printf", text]);
});

test("a run is asked for with the options that are not usual alone", () => {
  const command = runCommand("http://host", "x = 'y'\n", { ...DEFAULT_OPTIONS, measure: false });
  const asked = words(command);
  expect(asked.slice(0, 3)).toEqual(["curl", "-s", "http://host/api/v1/runs"]);
  const body = { source: "x = 'y'\n", options: { measure: false } };
  expect(JSON.parse(asked.at(-1)!)).toEqual(body);
});

test("each thing that is read of a run has a command", () => {
  expect(readCommands("http://host", "abc").map(({ command }) => command)).toEqual([
    "curl -s 'http://host/api/v1/runs/abc?texts=none'",
    "curl -s 'http://host/api/v1/runs/abc/artifacts'",
    "curl -s 'http://host/api/v1/runs/abc/source'",
  ]);
});
