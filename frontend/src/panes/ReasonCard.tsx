/** One reason of the why-list: what happened and where, why, what it costs, what to do. */
import { useState } from "preact/hooks";
import { alikeOf, type Alike } from "../lib/alike";
import { titleOf } from "../lib/compilers";

import { bytes, microseconds, milliseconds, plural } from "../lib/format";
import type { Entry, Reason } from "../lib/why";
import { select } from "../store/choosing";
import { useRunView } from "../store/context";
import type { Finding } from "../wire";
import { Lines } from "./Lines";
import { TrialOf } from "./TrialOf";

const FEW = 3;
/** Kinds whose time is known where a call was profiled, or a remedy measured. */
const TIMED_BY_A_TIMELINE: readonly string[] = ["graph break", "unrolled"];
/** What kinds cost that cost nothing in a call. */
const COSTLESS: Readonly<Record<string, string>> = {
  specialised: "costs nothing until a call brings others, and then one more compilation",
};

export function ReasonCard({ reason }: { reason: Reason }) {
  const view = useRunView();
  const { entries, compiler, why, remedy, lines, count } = reason;
  const chosen = view.selection.value.nodes;
  const isLit = entries.some(({ nodes }) => nodes.some((node) => chosen.has(node)));
  const asked = view.whyLine.value !== null && lines.includes(view.whyLine.value);
  const raw = [...new Set(entries.map((entry) => entry.raw))].filter(Boolean).join("\n");
  const tried = entries.find(({ trial }) => trial !== null)?.trial;
  const classes = ["reason-card", isLit && "lit", asked && "asked"].filter(Boolean).join(" ");
  return (
    <li class={classes}>
      <p class="reason-head">
        <span class="tag">{titleOf(compiler)}</span>
        {count > 1 && <span class="times">{plural(count, "time")}</span>}
        <Costs reason={reason} />
        {lines.length > 0 && <span class="faint">line </span>}
        <Lines lines={lines} />
        <Category entries={entries} />
      </p>
      <Entries entries={entries} />
      {why !== "" && <p class="why">{why}</p>}
      {remedy !== "" && <p class="remedy">{remedy}</p>}
      {raw !== "" && (
        <details>
          <summary>The compiler's own words</summary>
          <pre tabIndex={0}>{raw}</pre>
        </details>
      )}
      {tried && <TrialOf trial={tried} lines={lines} />}
    </li>
  );
}

/** What the compiler itself calls this. */
function Category({ entries }: { entries: readonly Finding[] }) {
  const names = [...new Set(entries.map(({ category }) => category))].filter(Boolean);
  return names.length > 0 ? <span class="faint">{names.join(", ")}</span> : null;
}

/** What happened, each a way to what it speaks of; the first few of many. What happens alike at several
 * places is told once, with how often. */
function Entries({ entries }: { entries: readonly Entry[] }) {
  const [all, setAll] = useState(false);
  const groups = alikeOf(entries);
  const shown = all ? groups : groups.slice(0, FEW);
  const left = groups.length - shown.length;
  return (
    <ul class="happened">
      {shown.map((group, index) => (
        <li key={index}>
          <Happened group={group} />
        </li>
      ))}
      {left > 0 && (
        <li>
          <button class="disclose" onClick={() => setAll(true)}>
            {left} more
          </button>
        </li>
      )}
    </ul>
  );
}

/** What happened, in the words of the first place; those of the others where they have words of
 * their own. */
function Happened({ group: { first, all, nodes } }: { group: Alike }) {
  const [open, setOpen] = useState(false);
  if (all.length === 1) return <What entry={first} />;
  const isSame = all.every(({ what, own }) => what === first.what && own === first.own);
  return (
    <>
      <What entry={{ ...first, nodes: [...nodes] }} times={all.length} />{" "}
      {!isSame && (
        <button class="disclose" aria-expanded={open} onClick={() => setOpen(!open)}>
          {open ? "only the first" : "each of them"}
        </button>
      )}
      {open && (
        <ul class="happened">
          {all.map((entry, index) => (
            <li key={index}>
              <What entry={entry} />
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

interface WhatProps {
  entry: Entry;
  /** At how many places. */
  times?: number;
}

function What({ entry: { what, own, nodes, stack, line }, times = 1 }: WhatProps) {
  const view = useRunView();
  const led = stack.filter((each) => each !== line);
  return (
    <>
      {nodes.length === 0 ? (
        <span>{what}</span>
      ) : (
        <button class="what" onClick={() => select(view, new Set(nodes), "why")}>
          {what}
        </button>
      )}
      {times > 1 && <span> × {times}</span>}
      {own && <span class="faint"> {own}</span>}
      {led.length > 0 && (
        <span class="faint">
          {" "}
          by line <Lines lines={led} />
        </span>
      )}
    </>
  );
}

function Costs({ reason: { kind, bytes: moved, us, estimated, compileMs } }: { reason: Reason }) {
  const timelines = useRunView().program.value?.timelines ?? [];
  const texts = [
    us !== null && `${microseconds(us)} a call${estimated ? " by the model" : ""}`,
    moved !== null && `${bytes(moved)} a call`,
    compileMs !== null && `${milliseconds(compileMs)} of compiling`,
  ].filter((text) => text !== false);
  const isUntimed = TIMED_BY_A_TIMELINE.includes(kind) && us === null && timelines.length === 0;
  return (
    <>
      {texts.length > 0 && <span class="number cost">{texts.join(", ")}</span>}
      {texts.length === 0 && COSTLESS[kind] && <span class="faint">{COSTLESS[kind]}</span>}
      {isUntimed && (
        <span class="faint">time not known: Timeline, or trying its remedy, measures it</span>
      )}
    </>
  );
}
