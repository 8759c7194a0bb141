/** What was asked for one text, where another is run. */
import type { RunView } from "./runview";

/** What was asked for a text before, or decided about that, is not the next one's. */
export const OF_A_TEXT = { inputs: "", overrides: [] };

// A call's name, and not a tensor's `f32[4]`: activate(f32[4]); Net(16)(i64[2])
const CALLED = /(?:^|;)\s*([A-Za-z_]\w*)[\w.]*\s*\(/g;

/** Whether the inputs are still those of the run that is shown, and call by its name what the text that is
 * to be run has not: an exercise's call, or somebody else's, beside a text that was pasted over theirs. */
export function isLeftOver(view: RunView): boolean {
  const { inputs } = view.options.peek();
  if (inputs !== view.run.peek()?.options.inputs) return false;
  const text = view.written.peek();
  return [...inputs.matchAll(CALLED)].some(([, name]) => !new RegExp(`\\b${name}\\b`).test(text));
}
