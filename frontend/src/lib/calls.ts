/** A text of inputs as calls whose arguments can be changed one by one, and back. What is no tensor stays
 * as it is written; the compiler's parser has the last word. */
import { INPUT_TYPES } from "../wire";

/** How the values of a tensor are drawn; blank: as is usual for its type. */
export type Drawn = "" | "normal" | "uniform" | "constant";

export interface Tensor {
  dtype: string;
  /** Sizes as they are written: 32, 512, or B=32. */
  shape: string;
  drawn: Drawn;
  /** What the distribution takes, as it is written. */
  numbers: string;
}

export interface Argument {
  /** Blank of one without a name. */
  keyword: string;
  /** Null where it is no tensor. */
  tensor: Tensor | null;
  /** What is no tensor. */
  text: string;
}

export interface Call {
  /** Blank where the text has inputs alone. */
  name: string;
  /** The arguments of a class's constructor; null where nothing is constructed. */
  built: readonly Argument[] | null;
  given: readonly Argument[];
}

const TYPES: ReadonlySet<string> = new Set(INPUT_TYPES);
const TENSOR = /^(\w+)\s*\[([^\]]*)\]\s*(?:~\s*(\w+)\s*(?:\(([^()]*)\))?)?$/;
const CALL = /^([A-Za-z_][\w.]*)\s*(?=\()/;
const KEYWORD = /^([A-Za-z_]\w*)\s*=(?!=)\s*/;
const DRAWN: readonly string[] = ["normal", "uniform", "constant"];
const CLOSING: Record<string, string> = { "(": ")", "[": "]", "{": "}" };

/** A tensor of which only the type is known. */
export const someTensor = (dtype: string): Tensor => ({
  dtype,
  shape: "64,64",
  drawn: "",
  numbers: "",
});

/** The calls of a text; none where it is blank. */
export const callsOf = (text: string): Call[] => parts(text, ";").map(callOf);

export const textOf = (calls: readonly Call[]): string => calls.map(written).join("; ");

function callOf(text: string): Call {
  const [, name] = CALL.exec(text) ?? [];
  if (name === undefined) return { name: "", built: null, given: argumentsOf(text) };
  const [first, after] = bracketed(text.slice(name.length).trimStart());
  if (after === "") return { name, built: null, given: argumentsOf(first) };
  const [second, rest] = after.startsWith("(") ? bracketed(after) : ["", after];
  // A list whose first input is a call: Config(2), f32[4].
  if (rest !== "") return { name: "", built: null, given: argumentsOf(text) };
  return { name, built: argumentsOf(first), given: argumentsOf(second) };
}

/** What is inside the bracket that a text begins with, and what comes after it. */
function bracketed(text: string): [inside: string, after: string] {
  const end = endOf(text, 0);
  return [text.slice(1, end), text.slice(end + 1).trim()];
}

export const argumentsOf = (text: string): Argument[] => parts(text, ",").map(argumentOf);

export function argumentOf(text: string): Argument {
  const [prefix = "", keyword = ""] = KEYWORD.exec(text) ?? [];
  const value = text.slice(prefix.length);
  return { keyword, tensor: tensorOf(value), text: value };
}

function tensorOf(text: string): Tensor | null {
  const [, dtype = "", shape = "", drawn = "", numbers = ""] = TENSOR.exec(text) ?? [];
  if (!TYPES.has(dtype) || (drawn !== "" && !DRAWN.includes(drawn))) return null;
  return { dtype, shape: shape.trim(), drawn: drawn as Drawn, numbers: numbers.trim() };
}

function written({ name, built, given }: Call): string {
  const inside = listed(given);
  if (name === "") return inside;
  return built === null ? `${name}(${inside})` : `${name}(${listed(built)})(${inside})`;
}

const listed = (all: readonly Argument[]): string => all.map(spelled).join(", ");

export function spelled({ keyword, tensor, text }: Argument): string {
  const value = tensor === null ? text : spec(tensor);
  return keyword === "" ? value : `${keyword}=${value}`;
}

function spec({ dtype, shape, drawn, numbers }: Tensor): string {
  return `${dtype}[${shape}]${drawn && `~${drawn}(${numbers})`}`;
}

/** The parts between separators that stand in no bracket and no quotes. */
export function parts(text: string, separator: string): string[] {
  const found: string[] = [];
  let from = 0;
  for (let at = 0; at < text.length; at = endOf(text, at) + 1) {
    if (text[at] !== separator) continue;
    found.push(text.slice(from, at).trim());
    from = at + 1;
  }
  return [...found, text.slice(from).trim()].filter((part) => part !== "");
}

/** Where what begins at a place ends: a text in quotes, a bracket with all in it, or the sign itself. */
function endOf(text: string, from: number): number {
  const sign = text[from]!;
  if (sign === "'" || sign === '"') {
    const end = text.indexOf(sign, from + 1);
    return end < 0 ? text.length : end;
  }
  const closing = CLOSING[sign];
  if (closing === undefined) return from;
  let at = from + 1;
  while (at < text.length && text[at] !== closing) at = endOf(text, at) + 1;
  return at;
}
