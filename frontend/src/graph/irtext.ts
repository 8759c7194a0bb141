/**
 * The tensor IR read back from its text: which operation reads which, and of what shape. The grammar is
 * the one that `compiler_core/ir/graph.py` says; a line is one operation, a region is indented.
 */

export interface Value {
  id: number;
  /** As it is printed: "f32[4096,1024]". */
  type: string;
}

export interface Operation {
  /** The operation's name. */
  op: string;
  results: readonly Value[];
  operands: readonly number[];
  /** As they are printed, by name. */
  attributes: ReadonlyMap<string, string>;
  regions: readonly Region[];
  /** Ids of the captured operations that it comes from. */
  nodes: readonly number[];
  /** The line of the text, from 1. */
  line: number;
}

export interface Region {
  name: string;
  inputs: readonly Value[];
  operations: readonly Operation[];
  returned: readonly number[];
}

export interface IrGraph extends Region {
  /** What a symbolic size is taken to be. */
  hints: ReadonlyMap<string, number>;
}

const HEAD = /^graph (?<name>[^([]+)(?:\[(?<symbols>[^\]]*)\])?\((?<inputs>.*)\) \{$/;
const CALL = /^(?<results>%[\d, %]*?) = (?<op>[\w.]+)\((?<operands>[%\d, ]*)\)(?<rest>.*)$/;
const REGION = /(?<name>\w+)\((?<inputs>[^()]*)\) \{$/;
const NEXT_REGION = /^\} (?<name>\w+)\((?<inputs>[^()]*)\) \{$/;

/** The graph of a text; null where it is none. `nodes` is the text's line map. */
export function parseIr(text: string, nodes: readonly (readonly number[])[] = []): IrGraph | null {
  const lines = text.split("\n").map((line) => line.trim());
  const head = HEAD.exec(lines[0] ?? "")?.groups;
  if (!head) return null;
  const reader = new Reader(lines, nodes);
  const { operations, returned } = reader.body();
  const hints = new Map(
    [...(head.symbols ?? "").matchAll(/(\w+) = (\d+) in/g)].map(([, name, hint]) => [
      name!,
      Number(hint),
    ]),
  );
  return { name: head.name!.trim(), inputs: typed(head.inputs!), operations, returned, hints };
}

class Reader {
  private at = 1;

  constructor(
    private readonly lines: readonly string[],
    private readonly nodes: readonly (readonly number[])[],
  ) {}

  /** The operations up to the end of the region that the reader is in. */
  body(): Pick<Region, "operations" | "returned"> {
    const operations: Operation[] = [];
    while (this.at < this.lines.length) {
      const line = this.lines[this.at]!;
      if (line.startsWith("return")) {
        this.at += 1;
        return { operations, returned: ids(line) };
      }
      const found = this.operation(line);
      if (found) operations.push(found);
    }
    return { operations, returned: [] };
  }

  private operation(line: string): Operation | null {
    const start = this.at++;
    const call = CALL.exec(line)?.groups;
    if (!call) return null;
    const regions: Region[] = [];
    let rest = call.rest!;
    let opened = rest.endsWith("{") ? REGION.exec(rest)?.groups : undefined;
    while (opened) {
      regions.push({ name: opened.name!, inputs: typed(opened.inputs!), ...this.body() });
      const closing = this.lines[this.at++] ?? "";
      opened = NEXT_REGION.exec(closing)?.groups;
      if (!opened) rest = closing;
    }
    const types = rest.slice(rest.lastIndexOf(" : ") + 3);
    const kinds = split(types);
    return {
      op: call.op!,
      results: ids(call.results!).map((id, index) => ({ id, type: kinds[index] ?? "" })),
      operands: ids(call.operands!),
      attributes: attributesOf(call.rest!),
      regions,
      nodes: (this.nodes[start] ?? []).filter((id) => id >= 0),
      line: start + 1,
    };
  }
}

const ids = (text: string): number[] => [...text.matchAll(/%(\d+)/g)].map(([, id]) => Number(id));

const typed = (text: string): Value[] =>
  [...text.matchAll(/%(\d+): ([^\s[]+\[[^\]]*\])/g)].map(([, id, type]) => ({
    id: Number(id),
    type: type!,
  }));

/** What commas divide, those within brackets apart. */
function split(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let from = 0;
  for (let at = 0; at < text.length; at++) {
    const sign = text[at]!;
    if ("([{".includes(sign)) depth += 1;
    if (")]}".includes(sign)) depth -= 1;
    if (sign !== "," || depth > 0) continue;
    parts.push(text.slice(from, at).trim());
    from = at + 1;
  }
  return [...parts, text.slice(from).trim()].filter((part) => part !== "");
}

function attributesOf(rest: string): Map<string, string> {
  const end = rest.lastIndexOf("}");
  if (!rest.startsWith(" {") || end < 0) return new Map();
  const inside = rest.slice(2, rest.lastIndexOf("} : ") > 0 ? rest.lastIndexOf("} : ") : end);
  return new Map(
    split(inside).flatMap((part) => {
      const at = part.indexOf(" = ");
      return at > 0 ? [[part.slice(0, at), part.slice(at + 3)] as const] : [];
    }),
  );
}

const BITS: Readonly<Record<string, number>> = { bool: 8 };

/** Bytes of a value of a type as it is printed; null where a size is none of the known symbols. */
export function bytesOf(type: string, hints: ReadonlyMap<string, number>): number | null {
  const found = /^(?<element>[a-z]+(?<bits>\d*)\w*)\[(?<shape>[^\]]*)\]$/.exec(type)?.groups;
  if (!found) return null;
  const bits = BITS[found.element!] ?? Number(found.bits);
  const sizes = (found.shape ?? "").split(",").filter((size) => size !== "");
  const elements = sizes.reduce((product, size) => product * (sizeOf(size, hints) ?? NaN), 1);
  const bytes = (elements * bits) / 8;
  return Number.isFinite(bytes) ? bytes : null;
}

/** `B`, `12` or a product of such. */
function sizeOf(text: string, hints: ReadonlyMap<string, number>): number | null {
  const factors = text.split("*").map((factor) => factor.trim());
  const known = factors.map((factor) => hints.get(factor) ?? Number(factor));
  return known.every(Number.isFinite) ? known.reduce((a, b) => a * b, 1) : null;
}
