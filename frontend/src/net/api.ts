/** The JSON API, each call one function; what goes wrong comes back as a sentence. */
import type { Example } from "../lib/gallery";
import type { Toolchain } from "../lib/toolchains";
import type { Comparison, Options, Report } from "../wire";

export type RunState = "queued" | "running" | "done" | "failed" | "cancelled";

export interface Run {
  id: string;
  state: RunState;
  source: string;
  options: Options;
  /** The report so far. */
  report: Report;
  /** The number of the last event that the report contains. */
  seq: number;
  /** When it ended, in ISO 8601. */
  finished: string | null;
  /** How long it has taken until now, or until its end, by the server's clock. */
  seconds: number;
  /** While it waits: the runs before it, and about how many seconds they take; null: not known. Why
   * none begins now; blank where they do. */
  ahead: number | null;
  wait_s: number | null;
  waits_for: string;
  shared: boolean;
  /** Asked for by this browser, which may therefore keep it for good. */
  mine: boolean;
}

export type Result<T> =
  | { ok: true; value: T }
  /** `wait_s`: to be asked again after so many seconds. */
  | { ok: false; error: string; status: number; wait_s?: number };

export const UNREACHABLE = "The server does not answer. Check the connection and try again.";

/** `fresh` asks for a new run where an identical one has been done; of one editor's runs that wait
 * the newest replaces the others. */
export const createRun = (source: string, options: Options, fresh: boolean, editor: string) =>
  call<{ id: string; existing: boolean }>("POST", "runs", { source, options, fresh, editor });

/** Without the texts: each is fetched when it is looked at. */
export const getRun = (id: string) => call<Run>("GET", `runs/${id}?texts=none`);

export const getComparison = (a: string, b: string) =>
  call<Comparison>("GET", `runs/${a}/compare/${b}`);

export const cancelRun = (id: string) => call<{ state: RunState }>("POST", `runs/${id}/cancel`);

/** The finished example of the front page, and the line of it that is chosen there. */
export const getFirst = () => call<{ line: number; run: Run }>("GET", "examples/first");

export const getExamples = () => call<{ examples: Example[] }>("GET", "examples");

export const getToolchains = () =>
  call<{ toolchains: Toolchain[]; extras: string[] }>("GET", "toolchains");

export async function call<T>(
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE",
  path: string,
  body?: unknown,
  more: Readonly<Record<string, string>> = {},
): Promise<Result<T>> {
  const headers = {
    ...more,
    Accept: "application/json",
    ...(body ? { "Content-Type": "application/json" } : {}),
  };
  try {
    const response = await fetch(`/api/v1/${path}`, {
      method,
      headers,
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const text = await response.text();
    if (!response.ok) {
      const wait_s = Number(response.headers.get("Retry-After")) || 0;
      return { ok: false, error: complaint(text, response), status: response.status, wait_s };
    }
    return { ok: true, value: (text === "" ? null : JSON.parse(text)) as T };
  } catch {
    return { ok: false, error: UNREACHABLE, status: 0 };
  }
}

/** The sentence in an error's body, whichever of the API's two shapes it has. */
export function complaint(text: string, { status }: { status: number }): string {
  try {
    const { error, detail } = JSON.parse(text) as { error?: unknown; detail?: unknown };
    for (const found of [error, detail]) {
      if (typeof found === "string") return found;
      if (Array.isArray(found)) return found.map((part: { msg?: string }) => part.msg).join("; ");
      const { message, remedy } = (found ?? {}) as { message?: string; remedy?: string };
      if (message) return [message, remedy].filter(Boolean).join(" ");
    }
  } catch {
    // Not JSON: a proxy's own page, say. The status has to do.
  }
  return `The server answered with status ${status}.`;
}
