/** What is asked of a run: inputs, device, target, compilers, measuring. */
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { DEVICES, TARGETS } from "../lib/choices";
import { chosenInWords, compilersFor, fitting, isOf, type CompilerChoice } from "../lib/compilers";
import { assumed, called, hint, known } from "../lib/inputs";
import { isChoice, ownVersions, titles } from "../lib/toolchains";
import { useRunView } from "../store/context";
import { deskOpen, inputsAt, loadToolchains, roomOptions, toolchains } from "../store/page";
import { setShowsOptions, showsOptions } from "../store/preferences";
import { setOptions } from "../store/running";
import { COMPILERS, DEVICE_COUNTS, INSIDES, type CompilerInfo, type Options } from "../wire";
import { Choice, Several } from "./choices";
import { Icon } from "./Icon";
import { useFitting } from "./useFitting";

const COUNTS: readonly Options["devices"][] = ["auto", ...DEVICE_COUNTS];

/** Those that a person may ask for: the baseline is always measured. */
const CHOICES = COMPILERS.filter(({ role }) => role !== "baseline") as readonly (CompilerInfo & {
  id: CompilerChoice;
})[];

export function OptionsForm() {
  return (
    <form class="options" aria-label="Options" onSubmit={(event) => event.preventDefault()}>
      <Inputs />
      <More />
      <Check
        option="measure"
        title="Times eager and each compiler, interleaved; without it the run is over sooner"
      >
        Measure
      </Check>
      <button
        type="button"
        class="quiet"
        aria-label="Your runs, history, editor"
        title="Your runs, history, format, Vim keys"
        onClick={() => (deskOpen.value = true)}
      >
        <Icon name="more" />
      </button>
    </form>
  );
}

/** All that most runs leave as it is: closed, it is a line that says what is chosen. */
function More() {
  const view = useRunView();
  const { device, target } = view.options.value;
  const line = useRef<HTMLElement>(null);
  const chosen = chosenInWords(view.options.value, view.written.value);
  const place = useFitting(line, chosen);
  return (
    <details
      class="field more-options"
      open={showsOptions.value}
      onToggle={(event) => setShowsOptions(event.currentTarget.open)}
    >
      <summary ref={line} title={chosen[0]}>
        Options
        <span class="faint">{`: ${chosen[place]}`}</span>
      </summary>
      <div class="options-grid">
        <Choice
          label="Device"
          value={device}
          names={DEVICES}
          isPinned={isPinned("device")}
          onChoose={(value) => setOptions(view, { device: value })}
        />
        <Choice
          label="Target"
          value={target}
          names={TARGETS}
          isPinned={isPinned("target")}
          onChoose={(value) => setOptions(view, { target: value })}
        />
        <Toolchains />
        <Pinned />
        <Devices />
        <Compilers />
        <Check
          option="timeline"
          title="Profiles a few more calls of each compiler: what runs when, and between which launches time is lost"
        >
          Timeline
        </Check>
        <Check
          option="trials"
          title="Changes the snippet by the remedies of what is found, and measures what each brings: a second or so for each"
        >
          Try remedies
        </Check>
        <LookInside />
      </div>
    </details>
  );
}

const PINNABLE = { device: "Device", target: "Target", toolchain: "Toolchain" } as const;

const isPinned = (name: keyof typeof PINNABLE): boolean => name in roomOptions.value;

/** Why some of it cannot be chosen in a workshop. */
function Pinned() {
  const names = (Object.keys(PINNABLE) as (keyof typeof PINNABLE)[]).filter(isPinned);
  if (names.length === 0) return null;
  const said = names.map((name) => PINNABLE[name]).join(", ");
  return <p class="hint">The workshop has pinned {said}, the same for all runs.</p>;
}

interface CheckProps {
  option: "measure" | "timeline" | "trials";
  title: string;
  children: ComponentChildren;
}

function Check({ option, title, children }: CheckProps) {
  const view = useRunView();
  return (
    <label class="check" title={title}>
      <input
        type="checkbox"
        checked={view.options.value[option]}
        onChange={(event) => setOptions(view, { [option]: event.currentTarget.checked })}
      />
      {children}
    </label>
  );
}

function Inputs() {
  const view = useRunView();
  const id = `${view.prefix}-inputs`;
  const [typing, setTyping] = useState(false);
  const { inputs } = view.options.value;
  const shows = inputs === "" && !typing && !view.edited.value;
  const guess = shows ? assumed(view.report.value) : "";
  const own = shows ? called(view.report.value) : "";
  const begun = known(inputs, view.report.value, view.written.value);
  const hinted = hint(inputs);
  const told =
    hinted.text ||
    (guess && "assumed, since nothing calls it: change it and run again") ||
    (own && "as the snippet says: change it and run again");
  return (
    <div class="field wide">
      <label for={id}>Inputs</label>
      <input
        id={id}
        value={inputs || guess || own}
        placeholder="f32[32,512], f32[512]"
        spellcheck={false}
        autocomplete="off"
        autocapitalize="off"
        aria-invalid={!hinted.ok}
        aria-describedby={`${id}-hint`}
        title={told || USUAL}
        onInput={(event) => {
          setTyping(true);
          setOptions(view, { inputs: event.currentTarget.value });
        }}
        onBlur={() => setTyping(false)}
      />
      <button
        type="button"
        title="Type, sizes and values of each input, in a form"
        onClick={() => (inputsAt.value = begun)}
      >
        Form
      </button>
      <span id={`${id}-hint`} class={hintClass(hinted.ok, told !== "")}>
        {told || USUAL}
      </span>
    </div>
  );
}

const USUAL = "for what nothing calls, or in place of the snippet's own call";

const hintClass = (isOk: boolean, isTold: boolean): string =>
  isOk ? (isTold ? "hint" : "hint usual") : "hint bad";

/** Which versions run it; where workers have but their own, these, and how others are had. */
function Toolchains() {
  const view = useRunView();
  const chosen = view.options.value.toolchain;
  useEffect(() => void loadToolchains(), []);
  if (!isChoice(toolchains.value, chosen)) return <OwnVersions />;
  return (
    <Choice
      label="Toolchain"
      value={chosen}
      names={titles(toolchains.value, chosen)}
      isPinned={isPinned("toolchain")}
      onChoose={(toolchain) => setOptions(view, { toolchain })}
    />
  );
}

function OwnVersions() {
  const versions = ownVersions(toolchains.value);
  if (versions === "") return null;
  return (
    <p class="hint">
      Runs with {versions}. Other versions, beside the worker:{" "}
      <code>make toolchain NAME=jax-0.9</code>
    </p>
  );
}

/** A program for several devices is one of JAX's: nobody else is asked how many there are. */
function Devices() {
  const view = useRunView();
  const { devices } = view.options.value;
  if (devices === "auto" && !isOf("jax", view.written.value)) return null;
  return (
    <label class="field" title="How many devices the CPU is to JAX; auto: as many as a mesh takes">
      <span>CPU devices</span>
      <select
        value={devices}
        onChange={({ currentTarget }) =>
          setOptions(view, { devices: COUNTS[currentTarget.selectedIndex] ?? "auto" })
        }
      >
        {COUNTS.map((count) => (
          <option key={count} value={count}>
            {count}
          </option>
        ))}
      </select>
    </label>
  );
}

function Compilers() {
  const view = useRunView();
  return (
    <Several
      legend="Compilers"
      choices={CHOICES}
      chosen={compilersFor(view.options.value, view.written.value)}
      onChoose={(compilers) => setOptions(view, { compilers })}
    />
  );
}

/** Which compilers are looked into; closed until a person wants it, for it is a list of its own. */
function LookInside() {
  const view = useRunView();
  const chosen = view.options.value.insides;
  const titles = INSIDES.filter(({ id }) => chosen.includes(id)).map(({ title }) => title);
  return (
    <details class="field wide insides">
      <summary>
        Look inside other compilers
        <span class="faint">{titles.length > 0 ? `: ${titles.join(", ")}` : ""}</span>
      </summary>
      <Several
        legend="Look inside"
        choices={fitting(view.written.value, chosen)}
        chosen={chosen}
        onChoose={(insides) => setOptions(view, { insides })}
      />
      <p class="hint">
        Their stages, reasons and fusions. Each compiles the program once more, beside what is
        timed: the run takes longer, its figures stay as they are.
      </p>
    </details>
  );
}
