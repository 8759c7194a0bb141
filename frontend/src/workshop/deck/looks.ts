/** What a block draws of a run, as the panes have it. */
import type { Look } from "../../net/courses";
import { paneOf } from "../../panes/registry";

/** Each plot, and the pane that it is a part of. As webapp/workshops/courses/deck.py names them. */
export const PLOT_PANES: Record<string, string> = {
  timings: "timings",
  compile: "timings",
  roofline: "kernels",
  memory: "memory",
  errors: "numerics",
  timeline: "timeline",
};

/** The pane to go to; "" for the one that is there. */
export const paneFor = ({ pane, plot }: Look): string => pane || (PLOT_PANES[plot] ?? "");

/** What is drawn, in words. */
export const nameOf = ({ pane, plot }: Look): string => plot || (paneOf(pane)?.title ?? pane);
