/** What is asked of a run: inputs, device, target, compilers, measuring. */
import { useState } from "preact/hooks";
import { assumed, hint } from "../lib/inputs";
import { useRunView } from "../store/context";
import { setOptions } from "../store/running";
import { COMPILERS, type CompilerInfo, type Options } from "../wire";

const DEVICES: Record<Options["device"], string> = { auto: "auto", cpu: "CPU", cuda: "CUDA" };

const TARGETS: Record<Options["target"], string> = {
  auto: "auto",
  sm_80: "sm_80 (A100)",
  sm_90: "sm_90 (H100)",
  sm_100: "sm_100 (B200)",
  gfx942: "gfx942 (MI300)",
};

type CompilerChoice = Options["compilers"][number];

/** Those that a person may ask for: the baseline is always measured. */
const CHOICES = COMPILERS.filter(({ role }) => role !== "baseline") as readonly (CompilerInfo & {
  id: CompilerChoice;
})[];

export function OptionsForm() {
  const view = useRunView();
  const { device, target, measure } = view.options.value;
  return (
    <form class="options" aria-label="Options" onSubmit={(event) => event.preventDefault()}>
      <Inputs />
      <Choice
        label="Device"
        value={device}
        names={DEVICES}
        onChoose={(value) => setOptions(view, { device: value })}
      />
      <Choice
        label="Target"
        value={target}
        names={TARGETS}
        onChoose={(value) => setOptions(view, { target: value })}
      />
      <Compilers />
      <label class="check">
        <input
          type="checkbox"
          checked={measure}
          onChange={(event) => setOptions(view, { measure: event.currentTarget.checked })}
        />
        Measure
      </label>
    </form>
  );
}

function Inputs() {
  const view = useRunView();
  const id = `${view.prefix}-inputs`;
  const [typing, setTyping] = useState(false);
  const { inputs } = view.options.value;
  const guess = inputs === "" && !typing && !view.edited.value ? assumed(view.report.value) : "";
  const said = hint(inputs);
  return (
    <div class="field wide">
      <label for={id}>Inputs</label>
      <input
        id={id}
        value={inputs || guess}
        placeholder="f32[32,512], f32[512]"
        spellcheck={false}
        autocomplete="off"
        autocapitalize="off"
        aria-invalid={!said.ok}
        aria-describedby={`${id}-hint`}
        onInput={(event) => {
          setTyping(true);
          setOptions(view, { inputs: event.currentTarget.value });
        }}
        onBlur={() => setTyping(false)}
      />
      <span id={`${id}-hint`} class={said.ok ? "hint" : "hint bad"}>
        {said.text ||
          (guess && "assumed, since nothing calls it: change it and run again") ||
          "only for a function that is not called in the snippet"}
      </span>
    </div>
  );
}

interface ChoiceProps<T extends string> {
  label: string;
  value: T;
  names: Record<T, string>;
  onChoose: (value: T) => void;
}

function Choice<T extends string>({ label, value, names, onChoose }: ChoiceProps<T>) {
  return (
    <label class="field">
      <span>{label}</span>
      <select value={value} onChange={(event) => onChoose(event.currentTarget.value as T)}>
        {(Object.keys(names) as T[]).map((name) => (
          <option key={name} value={name}>
            {names[name]}
          </option>
        ))}
      </select>
    </label>
  );
}

function Compilers() {
  const view = useRunView();
  const { compilers } = view.options.value;
  const toggle = (id: CompilerChoice, on: boolean) =>
    setOptions(view, {
      compilers: CHOICES.map((c) => c.id).filter((c) => (c === id ? on : compilers.includes(c))),
    });
  return (
    <fieldset class="field">
      <legend>Compilers</legend>
      {CHOICES.map(({ id, title, about }) => (
        <label key={id} class="check" title={about}>
          <input
            type="checkbox"
            checked={compilers.includes(id)}
            onChange={(event) => toggle(id, event.currentTarget.checked)}
          />
          {title}
        </label>
      ))}
    </fieldset>
  );
}
