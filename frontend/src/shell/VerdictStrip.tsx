/** The chosen program's verdict in one line: times with their intervals, who is fastest, and what the
 * core launches and moves in place of what eager does. */
import { Icon } from "../panes/Icon";
import { BASELINE, titleBeside } from "../lib/compilers";
import { isPython } from "../lib/graphs";
import { bytes, group, microseconds, percent, times } from "../lib/format";
import { changesOf, verdictOf, type Change, type Standing, type Verdict } from "../lib/verdict";
import { useRunView } from "../store/context";
import { measureAgain } from "../store/running";
import type { Program } from "../wire";

export function VerdictStrip({ program }: { program: Program }) {
  const verdict = verdictOf(program);
  const view = useRunView();
  const run = view.run.value;
  const isUnmeasured = run?.options.measure === false;
  const amber = verdict?.busy ? "verdict-strip busy" : "verdict-strip";
  return (
    <section class={amber} aria-label={view.called("Verdict")}>
      {verdict && <Times verdict={verdict} />}
      <span class="strip-changes">
        {changesOf(program).map((change) => (
          <Bars key={change.name} change={change} baseline={titleBeside(program, BASELINE)} />
        ))}
      </span>
      <Fallback program={program} />
      {(verdict || isUnmeasured) && <Again busy={verdict?.busy ?? ""} isFirst={isUnmeasured} />}
      <Inputs specs={program.inputs} />
    </section>
  );
}

/** As many of the inputs as the row has room for: they are all in the Inputs panel. */
const Inputs = ({ specs }: { specs: readonly string[] }) =>
  specs.length === 0 ? null : (
    <span class="strip-inputs" title={specs.join("\n")}>
      {specs.map((spec, at) => (
        <span key={at}>
          {at === 0 && <span class="who">inputs </span>}
          <code>{spec}</code>
        </span>
      ))}
    </span>
  );

function Times({ verdict: { eager, core, others, baseline } }: { verdict: Verdict }) {
  return (
    <p class="strip-times">
      <span class="part" title={baseline.full}>
        <span class="who">{baseline.short}</span> <Time of={eager} /> <Lead of={eager} />
      </span>
      {core && <Against of={core} full />}
      {others.map((other) => (
        <Against key={other.compiler} of={other} />
      ))}
    </p>
  );
}

/** A compiler's time and how it stands to eager; `full` with the verdict in words. */
function Against({ of, full = false }: { of: Standing; full?: boolean }) {
  const { title, timing, refused, why } = of;
  return (
    <span class={full ? "part own" : "part"} title={full ? "" : inWords(of)}>
      <span class="who">{title}</span> <Time of={of} /> {why && <Reason why={why} />}
      {!refused && timing.speedup !== null && (
        <>
          <b class="ratio">{times(timing.speedup)}</b> <span class="between">{interval(of)}</span>{" "}
          {full && (
            <>
              <span class={`verdict ${timing.verdict.split(" ")[0] ?? ""}`}>
                {timing.verdict}
              </span>{" "}
            </>
          )}
        </>
      )}
      <Lead of={of} />
    </span>
  );
}

const Time = ({ of: { timing, refused } }: { of: Standing }) =>
  refused ? (
    <b class="bad">{refused}</b>
  ) : (
    <span class="time">{microseconds(timing.median_us)}</span>
  );

/** Python runs all of it: why, and what to do, is the first thing that the why-list says. */
function Reason({ why }: { why: string }) {
  const { navigation } = useRunView();
  return (
    <button class="strip-why" title={why} onClick={() => navigation.show("why")}>
      Python runs all of it
    </button>
  );
}

const Lead = ({ of: { lead } }: { of: Standing }) =>
  lead === "" ? null : <span class="tag lead">{lead}</span>;

/** The 95 % interval: [0.81, 1.34]. */
function interval({ timing: { speedup_low, speedup_high } }: Standing): string {
  if (speedup_low === null || speedup_high === null) return "";
  return `[${bare(speedup_low)}, ${bare(speedup_high)}]`;
}

const bare = (ratio: number): string => times(ratio).slice(0, -1);

function inWords(of: Standing): string {
  const { verdict, speedup } = of.timing;
  return of.refused || speedup === null ? of.refused : `${interval(of)} ${verdict}`;
}

const LENGTH = 56;

/** The baseline's above, the core's below, on one scale. */
function Bars({ change, baseline }: { change: Change; baseline: string }) {
  const { name, before, after, note } = change;
  const shown = name === "bytes" ? bytes : group;
  const length = (n: number) => Math.max(1, (n / Math.max(before, after, 1)) * LENGTH);
  return (
    <span class="strip-bars" title={`${name} of a call, ${baseline} above and the core below`}>
      <svg
        width={LENGTH}
        height="12"
        viewBox={`0 0 ${LENGTH} 12`}
        preserveAspectRatio="none"
        aria-hidden="true"
      >
        <rect class="before" width={length(before)} height="5" rx="1" />
        <rect class="after" y="7" width={length(after)} height="5" rx="1" />
      </svg>
      <span>
        <span class="who">{name}</span> {shown(before)} → {shown(after)}
        {note && <span class="faint"> ({note})</span>}
      </span>
    </span>
  );
}

/** How much of the program is a library's or Python's to run, where that is some. */
function Fallback({ program }: { program: Program }) {
  const { native_share, launches_core } = program.summary;
  if (native_share === 1 || (launches_core === 0 && !isPython(program))) return null;
  return (
    <span class="part" title="The share of launches that are generated kernels">
      <span class="who">native</span> {percent(native_share)}
    </span>
  );
}

/** Measures once more; `isFirst` where the run was not to, which is said. */
function Again({ busy, isFirst }: { busy: string; isFirst: boolean }) {
  const view = useRunView();
  return (
    <span class="strip-again">
      {busy && (
        <span class="busy-note">
          <Icon name="warning" /> {busy}
        </span>
      )}
      {isFirst && <span class="faint">Not measured</span>}
      {!view.busy.value && !view.isReader && (
        <button class={busy ? "" : "quiet"} onClick={() => void measureAgain(view)}>
          {isFirst ? "Measure it" : "Measure again"}
        </button>
      )}
    </span>
  );
}
