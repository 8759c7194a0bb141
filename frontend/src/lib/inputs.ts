/** A hint about the Inputs field while it is typed; the compiler's parser has the last word. */
import { INPUT_TYPES, type Report } from "../wire";
import { plural } from "./format";

const TYPES: ReadonlySet<string> = new Set(INPUT_TYPES);

export interface Hint {
  ok: boolean;
  text: string;
}

const EXAMPLE = "f32[32,512], i64[]";
/** A size: a number, or one that varies from call to call, with its value: B=32, and then B. */
const SIZE = String.raw`(?:[A-Z][a-z0-9]*\s*=\s*)?\d+|[A-Z][a-z0-9]*`;
const SHAPE = new RegExp(String.raw`^\[\s*((${SIZE})\s*(,\s*(${SIZE})\s*)*)?\]$`);

/** A tensor among other inputs: in a list, or in a call as in Net(16)(f32[4,16]). */
const TENSOR = /[A-Za-z_]\w*\s*\[[^\]]*\]?/g;
/** How values are drawn stands behind a tensor, and is the compiler's to read. */
const DRAWN = /~\s*\w*\s*(\([^()]*\))?/g;
/** What is no tensor: a number, a name, a text, a list, a call; or what comes after a name and =. */
const OTHER = /[(){};'"=]|^\s*(\[|[-+.\d]|(True|False|None)\s*$)/;

/** What the field says, or what is wrong with it. An empty field is fine. */
export function hint(given: string): Hint {
  const text = given.replace(DRAWN, "");
  if (text.trim() === "") return { ok: true, text: "" };
  const parts = text.split(/,(?![^[]*\])/);
  const specs = parts.some((part) => OTHER.test(withoutSizes(part)))
    ? [...text.matchAll(TENSOR)].map(([spec]) => spec)
    : parts;
  const wrong = specs.map((spec) => problem(spec.trim())).find((found) => found !== null);
  if (wrong) return { ok: false, text: wrong };
  const sizes = named(text);
  const missing = specs.flatMap(dims).find((dim) => size(dim, sizes) === undefined);
  if (missing) return { ok: false, text: `${missing} has no value: write ${missing}=32 first` };
  const elements = specs.map((spec) =>
    dims(spec).reduce((product, dim) => product * (size(dim, sizes) ?? 1), 1),
  );
  const total = elements.reduce((sum, n) => sum + n, 0);
  return { ok: true, text: `${plural(specs.length, "tensor")}, ${plural(total, "element")}` };
}

/** A part without what is in a tensor's brackets, where = names a size. */
function withoutSizes(part: string): string {
  return part.replace(/\w\s*\[[^\]]*\]?/g, "");
}

/** The calls that were assumed for a snippet that calls nothing, as the field writes them. */
export function assumed({ programs }: Pick<Report, "programs">): string {
  return programs.flatMap(({ assumed: call }) => (call ? [call] : [])).join("; ");
}

/** What the form of inputs begins with: what was written, what the run assumed, was called with or asks
 * for, or what a comment of the snippet has; blank where nothing is known. */
export function known(inputs: string, report: Report, source: string): string {
  const asked = report.candidates.map(({ inputs: guess }) => guess).filter(Boolean);
  const [, comment = ""] = /^\s*#\s*inputs:(.*)$/m.exec(source) ?? [];
  return inputs || assumed(report) || called(report) || (asked[0] ?? "") || comment.trim();
}

/** The calls that a run's snippet makes, as the field takes them; blank where one of them cannot be
 * written, and in a report of before they were. */
export function called({ programs }: Pick<Report, "programs">): string {
  const all = programs.map((program) => program.called);
  return all.every(Boolean) ? all.join("; ") : "";
}

function problem(spec: string): string | null {
  if (spec === "") return `an input is empty: write specs such as ${EXAMPLE}`;
  const [, type = "", rest = ""] = /^([^[]*)(.*)$/.exec(spec) ?? [];
  if (!TYPES.has(type.trim()))
    return `${spec}: “${type.trim()}” is no type; use ${[...TYPES].join(" ")}`;
  if (rest === "")
    return `${spec}: a shape is missing; write ${type}[32,512], or ${type}[] for a scalar`;
  if (!rest.endsWith("]")) return `${spec}: the bracket is not closed`;
  if (!SHAPE.test(rest)) return `${spec}: sizes are whole numbers, as in ${EXAMPLE}`;
  return null;
}

function dims(spec: string): string[] {
  return (/\[(.*)\]/.exec(spec)?.[1] ?? "")
    .split(",")
    .map((dim) => dim.trim())
    .filter((dim) => dim !== "");
}

/** The values of the sizes that have a name. */
function named(text: string): ReadonlyMap<string, number> {
  const found = text.matchAll(/([A-Z][a-z0-9]*)\s*=\s*(\d+)/g);
  return new Map([...found].map(([, name = "", value]) => [name, Number(value)]));
}

function size(dim: string, sizes: ReadonlyMap<string, number>): number | undefined {
  const value = dim.split("=").at(-1)?.trim() ?? "";
  return /^\d+$/.test(value) ? Number(value) : sizes.get(value);
}
