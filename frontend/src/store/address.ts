/** Where a run, and what is shown of it, are written down. */
import { pathOf, readView, START, writeView, type View } from "../lib/urlstate";

export interface Address {
  /** Another run was opened: Back leads to the one before it. */
  opened: (id: string) => void;
  /** Something else is shown of the same run. */
  moved: (id: string | null, view: View) => void;
  /** What is to be shown of a run that was just opened. */
  view: () => View;
}

/** A view that leaves no trace. */
export const NOWHERE: Address = { opened: () => {}, moved: () => {}, view: () => START };

/** The browser's address bar: for one view at a time. */
export const ADDRESS_BAR: Address = {
  opened: (id) => history.pushState(null, "", pathOf(id)),
  // Beside no run it says something else: the front page, a workshop's door.
  moved: (id, view) => id !== null && history.replaceState(null, "", linkOf(id, view)),
  view: () => readView(location.hash),
};

/** The path and fragment that lead to `view` of a run. */
export const linkOf = (id: string | null, view: View): string =>
  pathOf(id) + (id === null ? "" : writeView(view));
