/** How far the run is, in words, for eyes and for a screen reader. */
import { useEffect, useState } from "preact/hooks";
import { dayOf, plural } from "../lib/format";
import { ITS_TURN, waiting } from "../lib/waiting";
import { useRunView } from "../store/context";
import { edit, secondsOf } from "../store/running";
import { Icon } from "../panes/Icon";
import type { Current } from "../store/current";
import type { RunView } from "../store/runview";

const WORDS = {
  queued: "queued",
  running: "running",
  done: "done",
  failed: "failed",
  cancelled: "cancelled",
} as const;

export function Status() {
  const view = useRunView();
  const { run, busy, asking } = view;
  const current = run.value;
  const isLate = useLate(asking.value > 0 || (!current && view.coming.value));
  if (!current) {
    return (
      <div class="status" role="status">
        {isLate && <span class="faint">{LATE}</span>}
      </div>
    );
  }
  const asks = current.state === "failed" && view.report.value.candidates.length > 0;
  return (
    <div
      class="status"
      data-state={asks ? "asks" : current.state}
      data-waits={waits(view, current) || undefined}
    >
      <span class="state" role="status" data-testid="state">
        {view.front.value ? "stored" : asks ? "needs inputs" : WORDS[current.state]}
      </span>
      {busy.value && <Clock run={current} />}
      <span class="doing" aria-live="polite">
        {isLate ? LATE : busy.value ? doing(view, current) : afterwards(view, current)}
      </span>
      {busy.value && <Bar />}
      {!busy.value && isEdited(view) && (
        <button
          class="quiet undo"
          aria-label="Undo edits"
          title="Put the text that was run in place of the edits"
          onClick={() => edit(view, current.source)}
        >
          <Icon name="undo" /> <span class="wide-only">Undo edits</span>
        </button>
      )}
    </div>
  );
}

// What comes sooner needs no word.
const AFTER_MS = 1000;

const LATE = "Waiting for the server";

/** Whether what is awaited, to be shown or to be run, has not come for so long. */
function useLate(isAwaited: boolean): boolean {
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    setLate(false);
    const timer = isAwaited ? setTimeout(() => setLate(true), AFTER_MS) : undefined;
    return () => clearTimeout(timer);
  }, [isAwaited]);
  return isAwaited && isLate;
}

/** Whether the text that was run is another now: it stands beside the shared one, which was never it. */
const isEdited = ({ edited, shared }: RunView): boolean => edited.value && shared.value === null;

/** Whether it is others' turn: before it begins, or after its first IR. */
const waits = ({ progress }: RunView, { state }: Current): boolean =>
  state === "queued" || (state === "running" && progress.value?.name === ITS_TURN);

/** What is being done, of a run that goes on. */
export function doing({ progress, report }: RunView, run: Current): string {
  if (run.state === "queued") return waiting(run.ahead, run.waitS, run.waitsFor);
  const now = progress.value;
  if (!now) return "";
  return [report.value.programs[now.program]?.name, now.name, now.detail]
    .filter(Boolean)
    .join(" · ");
}

function afterwards(view: RunView, { seconds, finished }: Current): string {
  const took = view.front.value ? madeOf(view, finished) : `in ${seconds.toFixed(1)} s`;
  return [took, isEdited(view) ? "edited since" : failures(view)].filter(Boolean).join(" · ");
}

/** A stored run says whose figures it has. */
const madeOf = ({ report }: RunView, day: Date | null): string =>
  ["example", report.value.device.name, day && dayOf(day)].filter(Boolean).join(" · ");

function failures({ report }: RunView): string {
  const { programs } = report.value;
  const failed = programs.filter((program) => program.status === "failed").length;
  return failed === 0 ? "" : `${failed} of ${plural(programs.length, "program")} failed`;
}

/** Determinate where the compiler says how far it is. */
function Bar() {
  const { progress } = useRunView();
  const fraction = progress.value?.fraction ?? null;
  return fraction === null ? (
    <div class="bar" role="progressbar" aria-label="Progress">
      <span class="travelling" />
    </div>
  ) : (
    <progress class="bar" max={1} value={fraction} aria-label="Progress" />
  );
}

/** The server's clock, as it goes on since it was last heard of. */
function Clock({ run }: { run: Current }) {
  const [now, setNow] = useState(performance.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(performance.now()), 200);
    return () => clearInterval(timer);
  }, []);
  return (
    <span class="number faint">{secondsOf(run, Math.max(now, run.heard ?? 0)).toFixed(1)} s</span>
  );
}
