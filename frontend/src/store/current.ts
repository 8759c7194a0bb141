/** What a view is of, and what is lit up in it. */
import { NO_NODES, type Chosen } from "../lib/linemap";
import type { RunState } from "../net/api";
import type { Options } from "../wire";

/** The run itself: its id, the source it was given, and how far it is. */
export interface Current {
  id: string;
  source: string;
  options: Options;
  state: RunState;
  shared: boolean;
  /** Asked for by this browser, which may therefore keep it for good. */
  mine: boolean;
  /** How long it has taken by the server's clock, when that was last heard of. */
  seconds: number;
  /** When that was, on this page's clock; null where the clock stands: the run is over, or the line
   * to it is lost. */
  heard: number | null;
  /** When it ended. */
  finished: Date | null;
  /** While it waits: the runs before it, and about how many seconds they take; null: not known. Why
   * none begins now; blank where they do. */
  ahead: number | null;
  waitS: number | null;
  waitsFor: string;
}

/** What is lit up in every text, and the pane in which it was chosen. */
export interface Selection extends Chosen {
  origin: string;
}

export const NOTHING: Selection = { nodes: NO_NODES, values: NO_NODES, origin: "" };
