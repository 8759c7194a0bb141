/** The inputs of a run, argument by argument: type, sizes, and how values are drawn; what a class is
 * constructed with. It writes the same text as the field, which takes everything else. */
import { useEffect, useRef, useState } from "preact/hooks";
import {
  callsOf,
  someTensor,
  textOf,
  type Argument,
  type Call,
  type Drawn,
  type Tensor,
} from "../lib/calls";
import { hint } from "../lib/inputs";
import {
  callOf,
  signatureOf,
  signatures,
  withoutUsual,
  withUsual,
  type Parameter,
  type Signature,
} from "../lib/signature";
import { useRunView } from "../store/context";
import { inputsAt } from "../store/page";
import { setOptions, start } from "../store/running";
import { INPUT_TYPES } from "../wire";
import { Icon } from "./Icon";

const VALUE = "value";
const DRAWN: Record<Drawn, string> = {
  "": "as usual",
  normal: "normal",
  uniform: "uniform",
  constant: "constant",
};
const NUMBERS: Record<Drawn, string> = { "": "", normal: "0,1", uniform: "0,1", constant: "1" };

type Part = "built" | "given";

export function InputsSheet() {
  const view = useRunView();
  const dialog = useRef<HTMLDialogElement>(null);
  const names = signatures(view.written.value);
  const [calls, setCalls] = useState(() => begun(inputsAt.value ?? "", names));
  useEffect(() => dialog.current?.showModal(), []);
  const text = textOf(calls.map((call) => by(names, call, withoutUsual)));
  const { ok: isRead, text: said } = hint(text);
  const ok = isRead && calls.length > 0 && !calls.some(isMissing);
  const close = () => dialog.current?.close();
  const use = (inputs: string) => (setOptions(view, { inputs }), close());
  const run = (event: Event) => {
    event.preventDefault();
    use(text);
    void start(view);
  };
  const change = (at: number, part: Part, index: number, to: Argument) =>
    setCalls(calls.map((call, i) => (i === at ? changed(call, part, index, to) : call)));
  return (
    <dialog
      ref={dialog}
      class="inputs-sheet"
      aria-labelledby="inputs-title"
      onClose={() => (inputsAt.value = null)}
    >
      <form onSubmit={run}>
        <header>
          <h2 id="inputs-title">Inputs</h2>
          <span class="spacer" />
          <button type="button" class="quiet" aria-label="Close the inputs" onClick={close}>
            <Icon name="cross" />
          </button>
        </header>
        {inputsAt.value === "" && (
          <p class="hint">Nothing is known of these yet: fill them in, or let a run find them.</p>
        )}
        {calls.map((call, at) => (
          <CallFields
            key={at}
            call={call}
            names={signatureOf(names, call.name, call.given.length)}
            onChange={(part, index, to) => change(at, part, index, to)}
          />
        ))}
        {calls.length === 0 && <p class="faint">The text has no function to give inputs to.</p>}
        <p class={isRead ? "hint" : "hint bad"} role="status">
          <code>{text}</code> {said}
        </p>
        <footer>
          <button class="primary" disabled={!ok}>
            <Icon name="run" /> Run with these
          </button>
          <button type="button" disabled={!ok} onClick={() => use(text)}>
            Use these
          </button>
          <button type="button" class="quiet" onClick={() => use("")}>
            Let a run find them
          </button>
        </footer>
      </form>
    </dialog>
  );
}

/** What is to be changed: the calls of a text, each with what it leaves as usual, and of one that says
 * nothing its parameters; where there is no text, those of the last function. */
function begun(text: string, names: readonly Signature[]): Call[] {
  const calls = callsOf(text);
  if (calls.length === 0) return names.slice(-1).map(callOf);
  return calls.map((call) =>
    by(names, call, (known, own) =>
      known.given.length === 0 ? callOf(own) : withUsual(known, own),
    ),
  );
}

/** A call as its signature makes it, where that is known. */
function by(
  names: readonly Signature[],
  call: Call,
  made: (call: Call, own: Signature) => Call,
): Call {
  const own = names.find(({ name }) => name === call.name);
  return own ? made(call, own) : call;
}

/** Whether a value is not said. */
const isMissing = ({ built, given }: Call): boolean =>
  [...(built ?? []), ...given].some(({ tensor, text }) => tensor === null && text.trim() === "");

const changed = (call: Call, part: Part, index: number, to: Argument): Call => ({
  ...call,
  [part]: call[part]?.map((argument, i) => (i === index ? to : argument)),
});

interface CallProps {
  call: Call;
  names: Signature | undefined;
  onChange: (part: Part, index: number, to: Argument) => void;
}

function CallFields({ call, names, onChange }: CallProps) {
  const name = call.name || names?.name || "";
  return (
    <fieldset>
      <legend>
        <code>{name}</code>
      </legend>
      {call.built !== null && call.built.length > 0 && (
        <Fields
          title="It is constructed with"
          all={call.built}
          names={names?.built ?? []}
          onChange={(index, to) => onChange("built", index, to)}
        />
      )}
      <Fields
        title={call.built === null ? "" : "and called with"}
        all={call.given}
        names={names?.given ?? []}
        onChange={(index, to) => onChange("given", index, to)}
      />
    </fieldset>
  );
}

interface FieldsProps {
  title: string;
  all: readonly Argument[];
  names: readonly Parameter[];
  onChange: (index: number, to: Argument) => void;
}

function Fields({ title, all, names, onChange }: FieldsProps) {
  return (
    <>
      {title && <p class="faint">{title}</p>}
      {all.map((argument, index) => (
        <ArgumentFields
          key={index}
          name={argument.keyword || names[index]?.name || `input ${index + 1}`}
          argument={argument}
          onChange={(to) => onChange(index, to)}
        />
      ))}
    </>
  );
}

interface FieldProps {
  name: string;
  argument: Argument;
  onChange: (to: Argument) => void;
}

/** One argument in a row. */
function ArgumentFields({ name, argument, onChange }: FieldProps) {
  const { tensor: now, text } = argument;
  const kind = (dtype: string) =>
    onChange({
      ...argument,
      tensor: dtype === VALUE ? null : { ...(now ?? someTensor(dtype)), dtype },
    });
  return (
    <div class="argument">
      <code class="argument-name">{name}</code>
      <select
        aria-label={`Type of ${name}`}
        value={now?.dtype ?? VALUE}
        onChange={(event) => kind(event.currentTarget.value)}
      >
        {[...INPUT_TYPES, VALUE].map((type) => (
          <option key={type}>{type}</option>
        ))}
      </select>
      {now === null ? (
        <input
          aria-label={`Value of ${name}`}
          placeholder="8, True, 'mean', [1, 2]"
          value={text}
          spellcheck={false}
          onInput={(event) => onChange({ ...argument, text: event.currentTarget.value })}
        />
      ) : (
        <TensorFields
          name={name}
          now={now}
          onChange={(to) => onChange({ ...argument, tensor: to })}
        />
      )}
    </div>
  );
}

interface TensorProps {
  name: string;
  now: Tensor;
  onChange: (to: Tensor) => void;
}

function TensorFields({ name, now, onChange }: TensorProps) {
  const draw = (drawn: Drawn) => onChange({ ...now, drawn, numbers: NUMBERS[drawn] });
  return (
    <>
      <input
        aria-label={`Sizes of ${name}`}
        placeholder="none: a scalar"
        title="Sizes with commas between; B=32 varies from call to call"
        value={now.shape}
        spellcheck={false}
        onInput={(event) => onChange({ ...now, shape: event.currentTarget.value })}
      />
      <select
        aria-label={`Values of ${name}`}
        value={now.drawn}
        onChange={(event) => draw(event.currentTarget.value as Drawn)}
      >
        {Object.entries(DRAWN).map(([drawn, words]) => (
          <option key={drawn} value={drawn}>
            {words}
          </option>
        ))}
      </select>
      {now.drawn !== "" && (
        <input
          class="argument-numbers"
          aria-label={`Numbers of ${name}`}
          title="normal: mean, deviation; uniform: least, below; constant: value"
          value={now.numbers}
          spellcheck={false}
          onInput={(event) => onChange({ ...now, numbers: event.currentTarget.value })}
        />
      )}
    </>
  );
}
