/** Why the program is not faster: what compilers did otherwise than one may hope for, by kind and
 * reason, with the lines, what it costs and what to do. */
import { useEffect, useRef, useState } from "preact/hooks";
import { titleOf } from "../lib/compilers";
import { compilersOf, headingOf, kindsOf, linesLeftOut, type Reason } from "../lib/why";
import { useRunView } from "../store/context";
import { setOptions, start } from "../store/running";
import { PlanSwitch } from "./PlanSwitch";
import { ReasonCard } from "./ReasonCard";
import { TrialOf } from "./TrialOf";

const ANY = "";
// One alone has a button of its own.
const FEWEST_OF_A_REST = 2;

export function WhyList() {
  const view = useRunView();
  const { program, reasons, whyLine } = view;
  const [compiler, setCompiler] = useState(ANY);
  const [kind, setKind] = useState(ANY);
  const body = useRef<HTMLDivElement>(null);
  const all = reasons.value;
  const line = whyLine.value;
  const together = program.value?.together ?? null;
  useEffect(() => {
    if (line === null) return;
    setCompiler(ANY);
    setKind(ANY);
  }, [line]);
  useEffect(() => {
    if (line !== null)
      body.current?.querySelector(".reason-card.asked")?.scrollIntoView({ block: "nearest" });
  }, [line, compiler, kind]);
  const shown = all.filter(
    (reason) =>
      (compiler === ANY || reason.compiler === compiler) && (kind === ANY || reason.kind === kind),
  );
  return (
    <div class="pane">
      <div class="pane-head">
        <Filter
          label="Kind"
          value={kind}
          any="All kinds"
          choices={kindsOf(all)}
          nameOf={headingOf}
          onChoose={setKind}
        />
        <Filter
          label="Compiler"
          value={compiler}
          any="All compilers"
          choices={compilersOf(all)}
          nameOf={titleOf}
          onChoose={setCompiler}
        />
        <span class="spacer" />
        <TryRemedies />
        <PlanSwitch />
      </div>
      <div class="pane-body" ref={body}>
        {together && compiler === ANY && kind === ANY && (
          <section aria-label={view.called("All remedies together")}>
            <h2 class="subhead">All remedies together</h2>
            <div class="reason-card">
              <TrialOf trial={together} />
            </div>
          </section>
        )}
        {kindsOf(shown).map((each) => (
          <Kind key={each} kind={each} reasons={shown.filter((reason) => reason.kind === each)} />
        ))}
        {shown.length === 0 && <p class="note">Nothing of this kind was done by this compiler.</p>}
      </div>
    </div>
  );
}

/** Runs the snippet once more, with the remedies tried; where they were, with those first that there
 * was no time for. */
function TryRemedies() {
  const view = useRunView();
  if (view.isReader || view.busy.value) return null;
  if (view.run.value?.options.trials) return <TryTheRest />;
  const ask = () => {
    setOptions(view, { trials: true });
    void start(view);
  };
  return (
    <button
      title="Runs the snippet again, then changes it by each remedy and measures what that brings"
      onClick={ask}
    >
      Try the remedies
    </button>
  );
}

function TryTheRest() {
  const view = useRunView();
  const lines = linesLeftOut(view.reasons.value);
  if (lines.length < FEWEST_OF_A_REST) return null;
  const ask = () => {
    setOptions(view, { trials: true, trials_first: lines, insides: [], timeline: false });
    void start(view);
  };
  const title =
    "Runs the snippet again with these remedies first, and without looking into compilers, which " +
    "leaves them its time";
  return (
    <button title={title} onClick={ask}>
      Try the other {lines.length}
    </button>
  );
}

function Kind({ kind, reasons }: { kind: string; reasons: readonly Reason[] }) {
  const count = reasons.reduce((sum, reason) => sum + reason.count, 0);
  return (
    <section aria-label={useRunView().called(headingOf(kind))}>
      <h2 class="subhead">
        {headingOf(kind)} ({count})
      </h2>
      <ul>
        {reasons.map((reason) => (
          <ReasonCard key={reason.key} reason={reason} />
        ))}
      </ul>
    </section>
  );
}

interface FilterProps {
  label: string;
  value: string;
  any: string;
  choices: readonly string[];
  nameOf: (choice: string) => string;
  onChoose: (choice: string) => void;
}

function Filter({ label, value, any, choices, nameOf, onChoose }: FilterProps) {
  return (
    <select aria-label={label} value={value} onChange={(e) => onChoose(e.currentTarget.value)}>
      <option value={ANY}>{any}</option>
      {choices.map((choice) => (
        <option key={choice} value={choice}>
          {nameOf(choice)}
        </option>
      ))}
    </select>
  );
}
