/** Syntax of every text that the page shows: two real parsers, which are fetched when a text wants
 * them, and one table for the IRs. */
import { StreamLanguage, type StreamParser } from "@codemirror/language";
import type { Extension } from "@codemirror/state";
import { fetching } from "../net/modules";
import type { Artifact } from "../wire";
import { awaited } from "./awaited";

type Rule = readonly [pattern: RegExp, tag: string | null];

const NUMBER: Rule = [/^-?(0x[0-9a-fA-F]+|\d+(\.\d+)?([eE][-+]?\d+)?)/, "number"];
const STRING: Rule = [/^"(?:[^"\\]|\\.)*"?/, "string"];
// One of several results is `name#1`.
const WORD: Rule = [/^[A-Za-z_][\w.]*(#\d+)?/, null];
const SLASHES: Rule = [/^\/\/.*/, "comment"];

/** The first rule that matches at a place names it; a word that no rule knows is plain. */
const IR_RULES: Record<string, readonly Rule[]> = {
  fuselab: [
    [/^(#|\/\/).*/, "comment"],
    STRING,
    [/^[a-z_][\w.]*(?=\()/, "variableName.function"],
    [/^(graph|kernel|return|stage|load|store|reduce|matmul|library|if|else)\b/, "keyword"],
    [/^(f64|f32|f16|bf16|[iu](8|16|32|64)|bool|i1)(?=[[\s,):]|$)/, "typeName"],
    [/^%[\w.]+(#\d+)?/, "variableName"],
    NUMBER,
    WORD,
  ],
  jaxpr: [
    [/^#.*/, "comment"],
    [/^(lambda|let|in|pjit|custom_jvp_call|custom_vjp_call)\b/, "keyword"],
    [/^(f64|f32|f16|bf16|[iu](8|16|32|64)|bool)(?=[[\s,)]|$)/, "typeName"],
    STRING,
    NUMBER,
    WORD,
  ],
  mlir: [
    SLASHES,
    [/^#\w+/, "meta"],
    STRING,
    [/^%[\w#:]+/, "variableName"],
    [/^@[\w.$-]+/, "variableName.function"],
    [/^(tensor|memref|vector)(?=<)|^!?tt\.ptr|^(f64|f32|f16|bf16|i\d+|index)\b/, "typeName"],
    [/^(module|func\.func|tt\.func|return|public|private|loc|attributes)\b/, "keyword"],
    [/^[a-z_]\w*\.[\w.]+/, "keyword"],
    NUMBER,
    WORD,
  ],
  llvm: [
    [/^;.*/, "comment"],
    STRING,
    [/^[%!][\w.$-]+/, "variableName"],
    [/^@[\w.$-]+/, "variableName.function"],
    [/^(i\d+|float|double|half|bfloat|ptr|void)\b/, "typeName"],
    [/^(define|declare|ret|br|call|phi|load|store|target|attributes|to|label|align)\b/, "keyword"],
    NUMBER,
    WORD,
  ],
  ptx: [
    SLASHES,
    [/^\/\*.*?\*\//, "comment"],
    STRING,
    [/^\.[a-z]\w*/, "typeName"],
    [/^%[\w.]+/, "variableName"],
    [/^@!?%?\w+/, "meta"],
    [/^\$?[\w$]+:/, "labelName"],
    [/^[a-z]\w*(?=[.\s;])/, "keyword"],
    NUMBER,
    WORD,
  ],
  sass: [
    [/^\/\/.*/, "comment"],
    [/^\/\*.*?\*\//, "comment"],
    [/^\.[\w.]+/, "typeName"],
    [/^@!?U?P\w+/, "meta"],
    [/^U?[RP]\d+\b|^RZ\b|^PT\b/, "variableName"],
    [/^[A-Z][A-Z0-9_]+/, "keyword"],
    NUMBER,
    WORD,
  ],
  text: [],
};

const FAMILY: Partial<Record<Artifact["language"], keyof typeof IR_RULES>> = {
  stablehlo: "mlir",
};

function parser(rules: readonly Rule[]): StreamParser<unknown> {
  return {
    token(stream) {
      if (stream.eatSpace()) return null;
      for (const [pattern, tag] of rules) if (stream.match(pattern)) return tag;
      stream.next();
      return null;
    },
  };
}

/** Languages that have a parser of their own. */
const PARSERS: Partial<Record<Artifact["language"], keyof typeof LOAD>> = {
  python: "python",
  aten: "python",
  c: "cpp",
};

const python = fetching(() => import("@codemirror/lang-python"));
const cpp = fetching(() => import("@codemirror/lang-cpp"));

const LOAD = {
  python: async () => (await python()).python(),
  cpp: async () => (await cpp()).cpp(),
};

const known = new Map<string, Extension>();

/** The editor's extension for one of the report's languages. */
export function languageOf(language: Artifact["language"]): Extension {
  const name = PARSERS[language];
  if (name) return known.get(name) ?? parsed(name);
  const family = FAMILY[language] ?? language;
  const found = known.get(family) ?? stream(IR_RULES[family] ?? []);
  known.set(family, found);
  return found;
}

const parsed = (name: keyof typeof LOAD): Extension =>
  awaited("the colours of this language", async () => {
    const found = await LOAD[name]();
    known.set(name, found);
    return found;
  });

const stream = (rules: readonly Rule[]): Extension =>
  rules.length === 0 ? [] : StreamLanguage.define(parser(rules));
