/** A candidate that may be chosen by hand, with what of it is free. */
import { useState } from "preact/hooks";
import { isSame, type Override } from "../lib/overrides";
import { useRunView } from "../store/context";
import { decide, leave } from "../store/whatif";
import type { Kernel, ScheduleCandidate } from "../wire";

interface Props {
  kernel: Kernel;
  candidate: ScheduleCandidate;
}

type Value = number | string;

const BACKENDS = ["", "cpu", "gpu"] as const;

export function UseThis({ kernel, candidate }: Props) {
  const view = useRunView();
  const [values, setValues] = useState<Readonly<Record<string, Value>>>({});
  const { name, free, chosen, cost_us } = candidate;
  const isSet = Object.keys(values).length > 0;
  if (cost_us === null || name === "" || view.isReader) return null;
  const override: Override = {
    type: "schedule",
    kernel: candidate.of || kernel.result || kernel.id,
    candidate: name,
    parameters: { ...values },
    backend: BACKENDS.find((each) => each === kernel.backend) ?? "",
    program: view.programIndex.value,
  };
  const wanted = view.options.value.overrides.some((other) => isSame(other, override));
  const set = (parameter: string, value: Value | null) => {
    const { [parameter]: _, ...rest } = values;
    setValues(value === null ? rest : { ...rest, [parameter]: value });
  };
  return (
    <span class="use-this">
      {Object.entries(free).map(([parameter, choices]) => (
        <Parameter
          key={parameter}
          name={parameter}
          now={candidate.parameters[parameter] ?? null}
          choices={choices}
          onChoose={(value) => set(parameter, value)}
        />
      ))}
      {(!chosen || isSet || wanted) && (
        <button
          class="bar-button decide"
          aria-pressed={wanted}
          aria-label={`Use this one: ${name} for ${kernel.id}`}
          onClick={() => (wanted ? leave(view, override) : decide(view, override))}
        >
          Use this one
        </button>
      )}
    </span>
  );
}

interface ParameterProps {
  name: string;
  now: Value | null;
  choices: readonly Value[];
  onChoose: (value: Value | null) => void;
}

function Parameter({ name, now, choices, onChoose }: ParameterProps) {
  const others = choices.filter((value) => value !== now);
  return (
    <label class="parameter">
      <code>{name}</code>
      <select
        onChange={({ currentTarget }) => onChoose(others[currentTarget.selectedIndex - 1] ?? null)}
      >
        <option>{now ?? "as it is"}</option>
        {others.map((value) => (
          <option key={value}>{value}</option>
        ))}
      </select>
    </label>
  );
}
