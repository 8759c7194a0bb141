/** What the browser remembers: the draft, the theme and the arrangement of the panes. */
import { effect, signal } from "@preact/signals";
import type { RunView } from "./runview";

const DRAFT = "fuselab.draft";
const THEME = "fuselab.theme";
const LAYOUT = "fuselab.layout";
const DRAFT_PAUSE_MS = 400;

export const THEMES = ["system", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

export const theme = signal<Theme>(THEMES.find((name) => name === read(THEME)) ?? "system");

/** The text that was being written when the page was last left. */
export const draft = (): string | null => read(DRAFT);

export const savedLayout = (): string | null => read(LAYOUT);

export const saveLayout = (text: string | null): void => write(LAYOUT, text);

/** Keeps the theme, and what is written in `view` as the draft, from now on. */
export function remember({ source, run, edited }: RunView): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  effect(() => {
    const text = source.value;
    // Somebody else's run is not this browser's draft until it is edited here.
    if (run.value !== null && !edited.value) return;
    clearTimeout(timer);
    timer = setTimeout(() => write(DRAFT, text), DRAFT_PAUSE_MS);
  });
  effect(() => {
    const name = theme.value;
    document.documentElement.dataset.theme = name;
    write(THEME, name === "system" ? null : name);
  });
}

// A browser may forbid storage altogether; the page then forgets, and works.
function read(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

function write(key: string, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(key);
    else localStorage.setItem(key, value);
  } catch {
    return;
  }
}
