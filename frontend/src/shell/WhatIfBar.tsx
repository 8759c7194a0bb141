/** What was, and is to be, decided in the compiler's stead; and what that changed. */
import { bytes, microseconds } from "../lib/format";
import {
  inWords,
  outcomeOf,
  plansChanged,
  plansOf,
  timeChange,
  type Figure,
  type Overridden,
} from "../lib/deciding";
import { isSame, type Override } from "../lib/overrides";
import { ALL, labelOf } from "../lib/plans";
import { pathOfPair } from "../lib/urlstate";
import { Icon, type IconName } from "../panes/Icon";
import { useRunView } from "../store/context";
import { start } from "../store/running";
import type { RunView } from "../store/runview";
import { decide, leave } from "../store/whatif";

export function WhatIfBar() {
  const view = useRunView();
  const wanted = view.options.value.overrides;
  const ran = view.run.value?.options.overrides ?? [];
  const gone = ran.filter((each) => !wanted.some((other) => isSame(each, other)));
  if (wanted.length + gone.length === 0) return <Change />;
  return (
    <section class="what-if" aria-label="What if">
      <h2>What if</h2>
      <ul class="decided">
        {[...wanted, ...gone].map((override) => (
          <Entry
            key={JSON.stringify(override)}
            override={override}
            isGone={gone.includes(override)}
          />
        ))}
      </ul>
      {view.isUndecided.value && (
        <button class="primary" disabled={view.busy.value} onClick={() => void start(view)}>
          <Icon name="run" /> {asked(wanted.length)}
        </button>
      )}
      <Change />
    </section>
  );
}

const asked = (count: number): string =>
  count === 0 ? "Run without these" : count === 1 ? "Run with this one" : `Run with these ${count}`;

interface EntryProps {
  override: Override;
  /** Whether the run had it, and the next is not to. */
  isGone: boolean;
}

const MARKS: Record<string, readonly [IconName, string]> = {
  set: ["dot", "for the next run"],
  gone: ["dash", "not in the next run"],
  applied: ["check", "applied"],
  refused: ["cross", "refused"],
  partly: ["warning", "refused in one plan"],
};

function Entry({ override, isGone }: EntryProps) {
  const view = useRunView();
  const found = outcomeOf(view.program.value, override);
  const state = isGone ? "gone" : stateOf(found);
  const [icon, label] = MARKS[state]!;
  const text = inWords(override, view.report.value.programs);
  return (
    <li class={state}>
      <span class="what">
        <Icon name={icon} label={label} /> {text}
      </span>
      <button
        class="quiet"
        aria-label={isGone ? `Keep ${text}` : `Remove ${text}`}
        title={isGone ? "Keep it" : "Leave it to the compiler"}
        onClick={() => (isGone ? decide(view, override) : leave(view, override))}
      >
        <Icon name={isGone ? "check" : "cross"} />
      </button>
      {found.map(({ reason, backend }) =>
        reason === "" ? null : (
          <p key={backend + reason}>{[backend.toUpperCase(), reason].filter(Boolean).join(": ")}</p>
        ),
      )}
    </li>
  );
}

function stateOf(found: readonly Overridden[]): string {
  const states = new Set(found.map(({ state }) => state));
  return states.size > 1 ? "partly" : ([...states][0] ?? "set");
}

/** What was decided since the run before, or is left to the compiler again. */
function anew({ run, before }: RunView): Override[] {
  const now = run.value?.options.overrides ?? [];
  const old = before.value?.report.options.overrides ?? [];
  const isIn = (all: readonly Override[], one: Override) => all.some((other) => isSame(one, other));
  return [...now.filter((each) => !isIn(old, each)), ...old.filter((each) => !isIn(now, each))];
}

/** The shown run against the one before. */
function Change() {
  const view = useRunView();
  const [run, now] = [view.run.value, view.program.value];
  const before = view.before.value;
  const old = before?.report.programs[view.programIndex.value];
  if (!before || !old || !now || now.kernels.length === 0) return null;
  const plan = view.plan.value;
  const backends = view.backends.value;
  const plans = plan === ALL && backends.length > 0 ? plansOf(anew(view), backends) : [plan];
  const time = plan === ALL || plan === now.backend ? timeChange(old, now) : null;
  const right = now.numerics.core;
  return (
    <dl class="changed" aria-label="Against the run before">
      {plansChanged(old, now, plans).flatMap(({ plan: of, figures }) =>
        figures.map((figure) => (
          <div key={`${of} ${figure.name}`}>
            <dt>
              {plan === ALL && backends.length > 1 && `${labelOf(of)} `}
              {figure.name}
            </dt>
            <dd>{arrow(said(figure, figure.before), said(figure, figure.after))}</dd>
          </div>
        )),
      )}
      {time && (
        <div>
          <dt>core</dt>
          <dd>
            {arrow(microseconds(time.before), microseconds(time.after))} <b>{time.verdict}</b>
          </dd>
        </div>
      )}
      {right && (
        <div class={right.ok ? "" : "bad"}>
          <dt>numbers</dt>
          <dd>{right.ok ? "right" : "other numbers: see Numerics"}</dd>
        </div>
      )}
      <div>
        <dt>against</dt>
        <dd>
          <a class="link" href={`/r/${before.id}`}>
            the run before
          </a>{" "}
          {run && (
            <a class="link" href={pathOfPair(before.id, run.id)}>
              compare all
            </a>
          )}
        </dd>
      </div>
    </dl>
  );
}

const UNITS: Record<Figure["unit"], (value: number) => string> = {
  launches: String,
  bytes,
  us: microseconds,
};

const said = ({ unit }: Figure, value: number): string => UNITS[unit](value);

const arrow = (from: string | number, to: string | number): string =>
  from === to ? `${to}, as before` : `${from} → ${to}`;
