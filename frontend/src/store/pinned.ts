/** The run that others are compared with, which the browser remembers. */
import { effect, signal } from "@preact/signals";
import { read, write } from "./storage";

export interface Pinned {
  id: string;
  /** What it is called beside another. */
  name: string;
}

const KEY = "fuselab.pinned";

export const pinned = signal<Pinned | null>(kept());

effect(() =>
  write("localStorage", KEY, pinned.value === null ? null : JSON.stringify(pinned.value)),
);

function kept(): Pinned | null {
  try {
    return JSON.parse(read("localStorage", KEY) ?? "null") as Pinned | null;
  } catch {
    return null;
  }
}
