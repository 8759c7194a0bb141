/**
 * A snippet and what is asked of it as the fragment of an address, which nobody has to store.
 *
 * What is packed is JSON in DEFLATE, in the letters that no address escapes. Whoever made it may be
 * anybody: what does not unpack to a snippet and known options is refused with a sentence.
 */
import { DEFAULT_OPTIONS, MAX_SOURCE_BYTES, type Options } from "../wire";
import { SNIPPET } from "./fragment";
import { fromText } from "./overrides";

export interface Packed {
  source: string;
  options: Options;
}

export type Unpacked = ({ ok: true } & Packed) | { ok: false; error: string };

const BROKEN =
  "The link to a snippet is incomplete or damaged. Copy the whole of it, up to its last letter.";
/** Beyond this it is no snippet, whatever it unpacks to: the options take little beside it. */
const MOST_BYTES = MAX_SOURCE_BYTES + 65536;
const ASCII_PER_CALL = 8192;

/** The fragment, with its "#", that stands for a snippet and for those options that are not usual. */
export async function packed({ source, options }: Packed): Promise<string> {
  const unusual = Object.entries(options).filter(
    ([name, value]) => !isEqual(value, DEFAULT_OPTIONS[name as keyof Options]),
  );
  const text = JSON.stringify({ source, options: Object.fromEntries(unusual) });
  return SNIPPET + toLetters(await through(new TextEncoder().encode(text), deflate(), Infinity));
}

export async function unpacked(fragment: string): Promise<Unpacked> {
  try {
    const bytes = await through(fromLetters(fragment.slice(SNIPPET.length)), inflate(), MOST_BYTES);
    const found = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes)) as Packed;
    if (typeof found.source !== "string") return { ok: false, error: BROKEN };
    return { ok: true, source: found.source, options: optionsOf(found.options) };
  } catch {
    return { ok: false, error: BROKEN };
  }
}

/** Those that this version knows, of the kinds that it knows; the others are left as usual. What a
 * value may be beyond its kind the server says when it is run. */
function optionsOf(found: unknown): Options {
  if (typeof found !== "object" || found === null) return DEFAULT_OPTIONS;
  const known = Object.entries(found).filter(([name, value]) => KINDS[name as Name]?.(value));
  return { ...DEFAULT_OPTIONS, ...(Object.fromEntries(known) as Partial<Options>) };
}

type Name = keyof Options;

const isText = (value: unknown): boolean => typeof value === "string";
const isTruth = (value: unknown): boolean => typeof value === "boolean";
const isLines = (value: unknown): boolean =>
  Array.isArray(value) && value.every((line) => Number.isInteger(line) && line > 0);
const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every(isText);

const KINDS: Record<Name, (value: unknown) => boolean> = {
  inputs: isText,
  seed: (value) => value === null || typeof value === "number",
  device: isText,
  devices: (value) => value === "auto" || typeof value === "number",
  target: isText,
  compilers: (value) => value === "auto" || isTexts(value),
  measure: isTruth,
  insides: isTexts,
  trials: isTruth,
  trials_first: isLines,
  toolchain: isText,
  overrides: (value) => fromText(JSON.stringify(value)) !== null,
  timeline: isTruth,
};

const isEqual = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

const deflate = () => new CompressionStream("deflate-raw");
const inflate = () => new DecompressionStream("deflate-raw");

/** What comes out of `stream`. Raises RangeError beyond `most` bytes. */
async function through(
  bytes: Uint8Array<ArrayBuffer>,
  stream: CompressionStream | DecompressionStream,
  most: number,
): Promise<Uint8Array> {
  const reader = new Blob([bytes]).stream().pipeThrough(stream).getReader();
  const parts: Uint8Array[] = [];
  let size = 0;
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    parts.push(part.value);
    size += part.value.length;
    if (size > most) throw new RangeError("more than a snippet");
  }
  const whole = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

function toLetters(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += ASCII_PER_CALL)
    text += String.fromCharCode(...bytes.subarray(at, at + ASCII_PER_CALL));
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

const fromLetters = (letters: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(letters.replaceAll("-", "+").replaceAll("_", "/")), (letter) =>
    letter.charCodeAt(0),
  );
