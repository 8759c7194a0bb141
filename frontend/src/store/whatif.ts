/** What the next run is to decide otherwise than the compiler. */
import { withOne, withoutOne } from "../lib/deciding";
import type { Override } from "../lib/overrides";
import { writeDown } from "./choosing";
import { setOptions } from "./running";
import type { RunView } from "./runview";

export function decide(view: RunView, override: Override): void {
  change(view, withOne(view.options.value.overrides, override));
}

export function leave(view: RunView, override: Override): void {
  change(view, withoutOne(view.options.value.overrides, override));
}

function change(view: RunView, overrides: Override[]): void {
  setOptions(view, { overrides });
  writeDown(view);
}
