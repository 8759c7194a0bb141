/**
 * Texts that were in the editor and are there no more: those that were run, and those in whose place
 * another was put. The newest first, each once, in this browser alone.
 */
import { signal } from "@preact/signals";
import { examples } from "./page";
import { read, write } from "./storage";

export interface Past {
  text: string;
  /** When it was left, in milliseconds since 1970. */
  at: number;
}

const KEY = "fuselab.history";
export const MOST = 30;
/** Browsers keep about five million characters for a site; this is its smaller part. */
export const MOST_CHARACTERS = 1_000_000;

export const history = signal<readonly Past[]>([]);

/** As this browser has it now: another tab may have added to it. */
export function recall(): void {
  try {
    history.value = JSON.parse(read("localStorage", KEY) ?? "[]") as Past[];
  } catch {
    history.value = [];
  }
}

/** Keeps a text, unless it is blank or one of the examples, which are there anyway. */
export function remember(text: string, at: number = Date.now()): void {
  if (text.trim() === "" || examples.value.some(({ source }) => source === text)) return;
  recall();
  const others = history.value.filter((past) => past.text !== text);
  keep([{ text, at }, ...others]);
}

export const forget = (past: Past): void => {
  recall();
  keep(history.value.filter(({ text }) => text !== past.text));
};

function keep(all: readonly Past[]): void {
  let room = MOST_CHARACTERS;
  const kept = all.slice(0, MOST).filter(({ text }) => (room -= text.length) >= 0);
  history.value = kept;
  write("localStorage", KEY, JSON.stringify(kept));
}
