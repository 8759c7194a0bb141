/** Where what is selected is, pane by pane, each a way there. */
import { trailOf } from "../lib/trail";
import { PANES } from "../panes/registry";
import { select, selectSourceLine } from "../store/choosing";
import { useRunView } from "../store/context";
import { Icon } from "../panes/Icon";

const TEXTS = ["captured", "loops", "triton", "c", "assembly", "reference"];

export function Trail() {
  const view = useRunView();
  const program = view.program.value;
  if (!program) return null;
  const panes = PANES.filter(({ id }) => TEXTS.includes(id));
  const [selection, texts] = [view.selection.value, view.litTexts.value];
  // A line of the GPU's Triton is of a kernel of the GPU's, whatever ran.
  const kernels = view.kernelsOf(texts[selection.origin]?.backend ?? "");
  const steps = trailOf(program, kernels, selection, texts, panes);
  if (steps.length === 0) return null;
  const go = (pane: string, line: number | null) => {
    if (line === null) return view.navigation.show(pane);
    if (view.selection.value.nodes.size === 0) selectSourceLine(view, line);
    view.navigation.goToLine(line);
  };
  return (
    <nav class="trail" aria-label="What is selected">
      <ol>
        {steps.map(({ text, pane, line }) => (
          <li key={pane + text}>
            <button class="quiet" onClick={() => go(pane, line)}>
              {text}
            </button>
          </li>
        ))}
      </ol>
      <button class="quiet" title="Esc" onClick={() => select(view, new Set(), "")}>
        <Icon name="cross" label="Select nothing" />
      </button>
    </nav>
  );
}
