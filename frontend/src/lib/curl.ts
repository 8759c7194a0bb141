/** What the page does, as commands for a shell. */
import { DEFAULT_OPTIONS, type Options } from "../wire";

/** As one word of a POSIX shell, whatever is in it. */
export const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** Runs the snippet with the options that are not usual, and says the run's address. */
export function runCommand(origin: string, source: string, options: Options): string {
  const unusual = Object.entries(options).filter(
    ([name, value]) =>
      JSON.stringify(value) !== JSON.stringify(DEFAULT_OPTIONS[name as keyof Options]),
  );
  const body = { source, ...(unusual.length > 0 && { options: Object.fromEntries(unusual) }) };
  return [
    `curl -s ${quoted(`${origin}/api/v1/runs`)} \\`,
    "  -H 'Content-Type: application/json' \\",
    `  -d ${quoted(JSON.stringify(body))}`,
  ].join("\n");
}

export interface Command {
  does: string;
  command: string;
}

/** What can be read of a run. */
export function readCommands(origin: string, id: string): Command[] {
  const get = (does: string, rest: string): Command => ({
    does,
    command: `curl -s ${quoted(`${origin}/api/v1/runs/${id}${rest}`)}`,
  });
  return [
    get("its state, and its report without the texts", "?texts=none"),
    get("the list of its texts: IR, Triton, C, PTX", "/artifacts"),
    get("its source", "/source"),
  ];
}
