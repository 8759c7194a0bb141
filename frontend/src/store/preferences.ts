/** What the browser remembers: the theme and the arrangement of the panes. */
import { effect, signal } from "@preact/signals";
import { read, write } from "./storage";

const THEME = "fuselab.theme";
const LAYOUT = "fuselab.layout";
const WRAPS = "fuselab.wraps";
const COLUMNS = "fuselab.columns";
const OPTIONS = "fuselab.options";
const VIM = "fuselab.vim";
const PAUSE = "fuselab.pause";
const BOTH = "fuselab.both";

export const THEMES = ["system", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

export const theme = signal<Theme>(
  THEMES.find((name) => name === read("localStorage", THEME)) ?? "system",
);

/** Whether long lines of texts go on below. */
export const wraps = signal(read("localStorage", WRAPS) !== "no");

export function setWraps(on: boolean): void {
  wraps.value = on;
  write("localStorage", WRAPS, on ? null : "no");
}

/** Whether texts before and after are beside each other where there is room, or in one column, whose
 * long lines may go on below. */
export const areBeside = signal(read("localStorage", COLUMNS) !== "one");

export function setBeside(on: boolean): void {
  areBeside.value = on;
  write("localStorage", COLUMNS, on ? null : "one");
}

/** Whether all options of a run are shown, or a line of them. */
export const showsOptions = signal(read("localStorage", OPTIONS) === "shown");

export function setShowsOptions(shown: boolean): void {
  showsOptions.value = shown;
  write("localStorage", OPTIONS, shown ? "shown" : null);
}

/** Whether the editor has Vim's keys. */
export const vimKeys = signal(read("localStorage", VIM) === "on");

export function setVimKeys(on: boolean): void {
  vimKeys.value = on;
  write("localStorage", VIM, on ? "on" : null);
}

/** Whether a changed text is run when nothing was written for a moment. */
export const runsOnPause = signal(read("localStorage", PAUSE) === "on");

export function setRunsOnPause(on: boolean): void {
  runsOnPause.value = on;
  write("localStorage", PAUSE, on ? "on" : null);
}

/** Whether a workshop's text and one's own are seen at once. */
export const bothTexts = signal(read("localStorage", BOTH) === "on");

export function setBothTexts(on: boolean): void {
  bothTexts.value = on;
  write("localStorage", BOTH, on ? "on" : null);
}

export const savedLayout = (): string | null => read("localStorage", LAYOUT);

export const saveLayout = (text: string | null): void => write("localStorage", LAYOUT, text);

/** Shows the page in its theme, and keeps that, from now on. */
export function keepTheme(): void {
  effect(() => {
    const name = theme.value;
    document.documentElement.dataset.theme = name;
    write("localStorage", THEME, name === "system" ? null : name);
  });
}
