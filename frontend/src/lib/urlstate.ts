/** What of the page's state is in the address: the run in the path, the view in the fragment. */

import { asText, fromText, type Override } from "./overrides";

export interface View {
  program: number;
  /** The stage chosen by hand; null while the page follows the compilation. */
  stage: number | null;
  nodes: readonly number[];
  /** Values of the IR, by their numbers. */
  values: readonly number[];
  /** The graph chosen by hand; null for the whole program. */
  graph: string | null;
  /** The backend whose plan is shown; null for all. */
  plan: string | null;
  /** What the next run is to override; null where that is what the run overrides. */
  overrides: readonly Override[] | null;
  /** The run that it is held against. */
  before: string | null;
}

export const START: View = {
  program: 0,
  stage: null,
  nodes: [],
  values: [],
  graph: null,
  plan: null,
  overrides: null,
  before: null,
};

/** The run's id in a path, or null on the front page. */
export function runOf(path: string): string | null {
  return /^\/r\/([A-Za-z0-9_-]+)\/?$/.exec(path)?.[1] ?? null;
}

/** The run that a path shows in a frame; null where it is none of that kind. */
export function embedOf(path: string): string | null {
  return /^\/e\/([A-Za-z0-9_-]+)\/?$/.exec(path)?.[1] ?? null;
}

/** The two runs that a path compares; null where it is none of that kind. */
export function pairOf(path: string): readonly [a: string, b: string] | null {
  const found = /^\/c\/([A-Za-z0-9_-]+)\.\.\.([A-Za-z0-9_-]+)\/?$/.exec(path);
  return found ? [found[1]!, found[2]!] : null;
}

/** The code of the workshop that a path leads to, as somebody wrote it who heard it, with a space in the
 * middle, say; "" of one that is to be opened; null where it leads to none. */
export function workshopOf(path: string): string | null {
  const code = /^\/w\/([^/]*)$/.exec(path)?.[1] ?? null;
  return code && code.replaceAll("%20", " ");
}

export const pathOfPair = (a: string, b: string): string => `/c/${a}...${b}`;

/** The run that a person means by a link to it, or by its id; null where the text is neither. */
export function runMeant(text: string): string | null {
  const path = text
    .trim()
    .replace(/^https?:\/\/[^/]+/, "")
    .replace(/[#?].*$/, "");
  return runOf(path) ?? (/^[A-Za-z0-9_-]{6,64}$/.test(path) ? path : null);
}

export function pathOf(run: string | null): string {
  return run === null ? "/" : `/r/${run}`;
}

export function readView(fragment: string): View {
  const fields = new URLSearchParams(fragment.replace(/^#/, ""));
  return {
    program: wholeNumber(fields.get("program")) ?? START.program,
    stage: wholeNumber(fields.get("stage")),
    nodes: numbers(fields.get("nodes")),
    values: numbers(fields.get("values")),
    graph: fields.get("graph"),
    plan: fields.get("plan"),
    overrides: fromText(fields.get("overrides")),
    before: runOf(`/r/${fields.get("before") ?? ""}`),
  };
}

export function writeView(view: View): string {
  const fields = new URLSearchParams();
  if (view.program !== START.program) fields.set("program", String(view.program));
  if (view.stage !== null) fields.set("stage", String(view.stage));
  if (view.nodes.length > 0) fields.set("nodes", view.nodes.join("."));
  if (view.values.length > 0) fields.set("values", view.values.join("."));
  if (view.graph !== null) fields.set("graph", view.graph);
  if (view.plan !== null) fields.set("plan", view.plan);
  if (view.overrides !== null) fields.set("overrides", asText(view.overrides));
  if (view.before !== null) fields.set("before", view.before);
  const text = fields.toString();
  return text === "" ? "" : `#${text}`;
}

function wholeNumber(text: string | null): number | null {
  return text !== null && /^\d{1,9}$/.test(text) ? Number(text) : null;
}

const numbers = (text: string | null): number[] =>
  (text ?? "")
    .split(".")
    .map(wholeNumber)
    .filter((n) => n !== null);
