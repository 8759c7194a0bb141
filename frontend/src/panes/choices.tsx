/** Form controls of which one or several of some choices are taken. */
import { toInstall } from "../lib/compilers";
import { extras } from "../store/page";

interface ChoiceProps<T extends string> {
  label: string;
  value: T;
  names: Record<T, string>;
  onChoose: (value: T) => void;
  /** Whether it is as somebody else has decided. */
  isPinned?: boolean;
}

export function Choice<T extends string>({
  label,
  value,
  names,
  onChoose,
  isPinned = false,
}: ChoiceProps<T>) {
  return (
    <label class="field">
      <span>{label}</span>
      <select
        value={value}
        disabled={isPinned}
        onChange={(event) => onChoose(event.currentTarget.value as T)}
      >
        {(Object.keys(names) as T[]).map((name) => (
          <option key={name} value={name}>
            {names[name]}
          </option>
        ))}
      </select>
    </label>
  );
}

interface SeveralProps<T extends string> {
  legend: string;
  choices: readonly { id: T; title: string; about: string; install: string }[];
  chosen: readonly T[];
  onChoose: (chosen: T[]) => void;
}

/** Boxes of which any number may be ticked; what is chosen stays in the choices' order. */
export function Several<T extends string>({ legend, choices, chosen, onChoose }: SeveralProps<T>) {
  const ids = choices.map(({ id }) => id);
  const toggle = (id: T, on: boolean) =>
    onChoose(ids.filter((other) => (other === id ? on : chosen.includes(other))));
  return (
    <fieldset class="field several">
      <legend>{legend}</legend>
      {choices.map((choice) => {
        const { id, title, about } = choice;
        const install = toInstall(choice.install, extras.value);
        const absent = install ? `${about}. Not installed here: ${install}` : about;
        return (
          <label key={id} class="check" title={absent}>
            <input
              type="checkbox"
              checked={chosen.includes(id)}
              disabled={install !== "" && !chosen.includes(id)}
              onChange={(event) => toggle(id, event.currentTarget.checked)}
            />
            {title}
            {install && <code class="faint">{install}</code>}
          </label>
        );
      })}
    </fieldset>
  );
}
