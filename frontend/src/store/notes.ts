/** Notes that were read: each is dismissed once, in this browser. */
import type { Note } from "../lib/notes";
import { read, write } from "./storage";
import type { RunView } from "./runview";

const READ = "fuselab.notes";

const known = (): string[] => (read("localStorage", READ) ?? "").split("\n");

/** Those of `notes` that nobody has dismissed. */
export const unread = (notes: readonly Note[]): Note[] => {
  const dismissed = known();
  return notes.filter(({ title }) => !dismissed.includes(title));
};

export function dismiss(view: RunView, note: Note): void {
  view.notes.value = view.notes.value.filter((other) => other !== note);
  if (note.tasks) return;
  write("localStorage", READ, [...known(), note.title].filter(Boolean).join("\n"));
}
