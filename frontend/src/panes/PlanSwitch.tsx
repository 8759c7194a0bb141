/** Which backend's plan is shown, where the program has several; says which one ran. */
import { ALL, hasRun, labelOf } from "../lib/plans";
import { choosePlan } from "../store/choosing";
import { useRunView } from "../store/context";

interface Props {
  /** Whether one plan is shown at a time: the one that ran where nothing was chosen. */
  single?: boolean;
}

export function PlanSwitch({ single = false }: Props) {
  const view = useRunView();
  const program = view.program.value;
  const backends = view.backends.value;
  if (!program || backends.length < 2) return null;
  const shown = single ? view.onePlan.value : view.plan.value;
  return (
    <div class="switch" role="group" aria-label="Plan">
      {[...backends, ...(single ? [] : [ALL])].map((name) => (
        <button key={name} aria-pressed={name === shown} onClick={() => choosePlan(view, name)}>
          {name === ALL ? (backends.length === 2 ? "both" : "all") : labelOf(name)}
          {hasRun(program, name) && <span class="ran"> ran</span>}
        </button>
      ))}
    </div>
  );
}
