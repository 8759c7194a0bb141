/** The parameters of a snippet's functions and classes, as far as its text says them: what a form of
 * inputs begins with where nothing else is known. */
import { parts, someTensor, type Argument, type Call } from "./calls";

export interface Parameter {
  name: string;
  /** What it is without an argument, as it is written; blank where there is none. */
  usual: string;
}

export interface Signature {
  name: string;
  /** Of the constructor, where it is a class. */
  built: readonly Parameter[] | null;
  given: readonly Parameter[];
}

const DEFINITION = /^(def|class)\s+([A-Za-z_]\w*)/gm;
const METHOD = /^[ \t]+def\s+(\w+)\s*(?=\()/gm;
const CALLED = ["forward", "__call__"];
const PARAMETER = /^([A-Za-z_]\w*)\s*(?::[^=]*)?(?:=\s*([\s\S]*))?$/;
const LITERAL = /^(-?[\d.]+(e-?\d+)?|True|False|None|"[^"]*"|'[^']*')$/;

/** One for each function and class at the top of the text. */
export function signatures(source: string): Signature[] {
  return [...source.matchAll(DEFINITION)].map((found, at, all) => {
    const body = source.slice(found.index, all[at + 1]?.index);
    const [, kind, name = ""] = found;
    if (kind === "def") return { name, built: null, given: parameters(body) };
    const methods = new Map([...body.matchAll(METHOD)].map((m) => [m[1]!, body.slice(m.index)]));
    const called = CALLED.map((each) => methods.get(each)).find((each) => each !== undefined);
    return { name, built: own(methods.get("__init__")), given: own(called) };
  });
}

/** Without the object itself. */
const own = (method: string | undefined): Parameter[] => parameters(method ?? "").slice(1);

function parameters(definition: string): Parameter[] {
  const from = definition.indexOf("(");
  const inside = from < 0 ? "" : upToItsEnd(definition.slice(from + 1));
  return parts(inside, ",").flatMap((part) => {
    const [, name, usual = ""] = PARAMETER.exec(part) ?? [];
    return name === undefined ? [] : [{ name, usual: usual.trim() }];
  });
}

function upToItsEnd(text: string): string {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    if ("([{".includes(text[at]!)) depth++;
    else if (")]}".includes(text[at]!) && depth-- === 0) return text.slice(0, at);
  }
  return text;
}

/** The signature that a call is of: that of its name, else the last that takes so many arguments. */
export function signatureOf(
  all: readonly Signature[],
  name: string,
  count: number,
): Signature | undefined {
  if (name !== "") return all.find((each) => each.name === name);
  return all.findLast(({ built, given }) => built === null && given.length >= count);
}

/** A call of which nothing is known but what it takes: what has a value of its own keeps it. */
export const callOf = ({ name, built, given }: Signature): Call => ({
  name,
  built: built && unknown(built, () => ({ keyword: "", tensor: null, text: "64" })),
  given: unknown(given, () => ({ keyword: "", tensor: someTensor("f32"), text: "" })),
});

const unknown = (all: readonly Parameter[], guess: () => Argument): Argument[] =>
  all.flatMap((each) => (each.usual === "" ? [guess()] : usualOf(each)));

/** A call with what its signature has a plain value for, so that it can be changed. */
export const withUsual = (call: Call, { built, given }: Signature): Call => ({
  ...call,
  built: call.built && completed(call.built, built ?? []),
  given: completed(call.given, given),
});

/** Without what is as usual: the text says what differs. */
export const withoutUsual = (call: Call, { built, given }: Signature): Call => ({
  ...call,
  built: call.built && differing(call.built, built ?? []),
  given: differing(call.given, given),
});

function completed(all: readonly Argument[], parameters: readonly Parameter[]): Argument[] {
  const placed = all.filter(({ keyword }) => keyword === "").length;
  const named = new Set(all.map(({ keyword }) => keyword));
  const left = parameters.slice(placed).filter(({ name }) => !named.has(name));
  return [...all, ...left.flatMap(usualOf)];
}

const differing = (all: readonly Argument[], parameters: readonly Parameter[]): Argument[] => {
  const usual = new Map(parameters.map((each) => [each.name, each.usual]));
  return all.filter(({ keyword, tensor, text }) => tensor !== null || text !== usual.get(keyword));
};

const usualOf = ({ name, usual }: Parameter): Argument[] =>
  LITERAL.test(usual) ? [{ keyword: name, tensor: null, text: usual }] : [];
