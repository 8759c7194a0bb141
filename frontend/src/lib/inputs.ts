/** A hint about the Inputs field while it is typed; the compiler's parser has the last word. */
import { INPUT_TYPES } from "../wire";

const TYPES: ReadonlySet<string> = new Set(INPUT_TYPES);

export interface Hint {
  ok: boolean;
  text: string;
}

const EXAMPLE = "f32[32,512], i64[]";

/** What the field says, or what is wrong with it. An empty field is fine. */
export function hint(text: string): Hint {
  if (text.trim() === "") return { ok: true, text: "" };
  const specs = text.split(/,(?![^[]*\])/);
  const wrong = specs.map((spec) => problem(spec.trim())).find((found) => found !== null);
  if (wrong) return { ok: false, text: wrong };
  const elements = specs.map((spec) => shape(spec).reduce((product, n) => product * n, 1));
  const total = elements.reduce((sum, n) => sum + n, 0);
  return { ok: true, text: `${specs.length} × tensor, ${total.toLocaleString("en")} elements` };
}

function problem(spec: string): string | null {
  if (spec === "") return `an input is empty: write specs such as ${EXAMPLE}`;
  const [, type = "", rest = ""] = /^([^[]*)(.*)$/.exec(spec) ?? [];
  if (!TYPES.has(type.trim()))
    return `${spec}: “${type.trim()}” is no type; use ${[...TYPES].join(" ")}`;
  if (rest === "")
    return `${spec}: a shape is missing; write ${type}[32,512], or ${type}[] for a scalar`;
  if (!rest.endsWith("]")) return `${spec}: the bracket is not closed`;
  if (!/^\[\s*(\d+\s*(,\s*\d+\s*)*)?\]$/.test(rest))
    return `${spec}: sizes are whole numbers, as in ${EXAMPLE}`;
  return null;
}

function shape(spec: string): number[] {
  return (/\[(.*)\]/.exec(spec)?.[1] ?? "")
    .split(",")
    .filter((n) => n.trim() !== "")
    .map(Number);
}
