/**
 * The parts of a drawing: boxes for operations, hulls around those that run in one kernel, and lines
 * for what one reads of another.
 */
import type { Operation } from "./irtext";

export interface Box {
  id: string;
  kind: "operation" | "input" | "output" | "hull";
  label: string;
  /** Its shape, or what is in it. */
  detail: string;
  /** The hull that it is drawn in. */
  hull: string | null;
  /** Ids of the captured operations that it comes from, the selection key. */
  nodes: readonly number[];
  /** The value of the IR that it computes. */
  value: number | null;
  /** Whether another hull computes the same value for itself. */
  isAgain: boolean;
  /** Of the palette, where the box stands for a kernel. */
  hue: number | null;
}

export interface Line {
  id: string;
  from: string;
  to: string;
  /** Bytes of what is read; null where a size is not known. */
  bytes: number | null;
  /** The views that it is read through. */
  through: readonly string[];
  /** Why the two are not in one kernel; empty where nothing was refused. */
  reasons: readonly string[];
  /** Whether nothing is read along it: it only says that two were not joined. */
  isApart: boolean;
}

export interface Hull {
  id: string;
  /** "k0 · row · 4 MiB · 4.2 µs" */
  label: string;
  /** Its full name, and what it says of itself. */
  title: string;
  /** In a word, where it is one of many: "row" of a kernel. */
  name: string;
  /** Of the palette; null where it has none. */
  hue: number | null;
  nodes: readonly number[];
  /** Bytes that it reads and writes, where they are known. */
  moved?: number | null;
  /** The frame that it is drawn in. */
  parent: string | null;
  /** Whether it is no kernel, but a frame around several. */
  isFrame: boolean;
  /** How many equal ones it stands for. */
  times: number;
}

export interface Drawing {
  boxes: readonly Box[];
  lines: readonly Line[];
  hulls: readonly Hull[];
}

export interface Refused {
  from: number;
  to: number;
  reason: string;
}

/** Which kernels there are, and which of them compute an operation. */
export interface Grouping {
  hulls: readonly Hull[];
  of: (operation: Operation) => readonly string[];
  refused: readonly Refused[];
  /** Why captured operations were not joined with readers of theirs, where that is known of them. */
  reasonsOf?: (from: readonly number[], to: readonly number[]) => readonly string[];
}

export const UNGROUPED: Grouping = { hulls: [], of: () => [], refused: [] };
