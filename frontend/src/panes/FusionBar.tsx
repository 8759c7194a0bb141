/** What stands above the fusion graph: the step that it shows, the plan, and what is drawn. */
import type { Step } from "../graph/steps";
import { titleOf } from "../lib/compilers";
import { chooseStage } from "../store/choosing";
import { useRunView } from "../store/context";
import { PassButton } from "./Decide";
import { PlanSwitch } from "./PlanSwitch";

interface Props {
  steps: readonly Step[];
  step: Step;
  /** Whose kernels are drawn, and whose could be. */
  by: string;
  compilers: readonly string[];
  onBy: (compiler: string) => void;
}

export function FusionBar({ steps, step, by, compilers, onBy }: Props) {
  return (
    <div class="pane-head wraps">
      <StepSlider steps={steps} step={step} />
      <PassButton stage={useRunView().stages.value[step.index] ?? null} />
      <span class="spacer" />
      {compilers.length > 1 && (
        <div class="switch" role="group" aria-label="Kernels of">
          {compilers.map((compiler) => (
            <button key={compiler} aria-pressed={compiler === by} onClick={() => onBy(compiler)}>
              {titleOf(compiler)}
            </button>
          ))}
        </div>
      )}
      <PlanSwitch single />
    </div>
  );
}

function StepSlider({ steps, step }: Pick<Props, "steps" | "step">) {
  const view = useRunView();
  const at = steps.indexOf(step);
  const choose = (event: Event) => {
    const chosen = steps[Number((event.target as HTMLInputElement).value)];
    if (chosen) chooseStage(view, chosen.index);
  };
  return (
    <label class="steps">
      <input
        type="range"
        min={0}
        max={steps.length - 1}
        value={at}
        onInput={choose}
        aria-label="Step"
        aria-valuetext={step.name}
      />
      <span class="pane-name">{step.name}</span>
      <span class="faint">
        {at + 1} of {steps.length}
      </span>
    </label>
  );
}

interface ChoiceProps {
  label: string;
  on: boolean;
  onChange: (on: boolean) => void;
}

export function Choice({ label, on, onChange }: ChoiceProps) {
  return (
    <label class="check">
      <input type="checkbox" checked={on} onChange={() => onChange(!on)} />
      {label}
    </label>
  );
}
