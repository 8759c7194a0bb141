/** How far the run is, in words, for eyes and for a screen reader. */
import { useEffect, useState } from "preact/hooks";
import { plural } from "../lib/format";
import { useRunView } from "../store/context";
import type { Current, RunView } from "../store/runview";

const LINKS = {
  connecting: "",
  live: "",
  lost: "connection lost, trying again",
  polling: "no live connection, asking every few seconds",
} as const;

const WORDS = {
  queued: "queued",
  running: "running",
  done: "done",
  failed: "failed",
  cancelled: "cancelled",
} as const;

export function Status() {
  const view = useRunView();
  const { run, busy } = view;
  const current = run.value;
  if (!current) return <div class="status" role="status" />;
  return (
    <div class="status" data-state={current.state}>
      <span class="state" role="status" data-testid="state">
        {WORDS[current.state]}
      </span>
      {current.startedAt !== null && busy.value && <Clock since={current.startedAt} />}
      <span class="doing" aria-live="polite">
        {busy.value ? doing(view) : afterwards(view, current)}
      </span>
      {busy.value && <Bar />}
    </div>
  );
}

function doing({ link, progress, report }: RunView): string {
  const lost = LINKS[link.value];
  if (lost) return lost;
  const now = progress.value;
  if (!now) return "";
  return [report.value.programs[now.program]?.name, now.name, now.detail]
    .filter(Boolean)
    .join(" · ");
}

function afterwards(view: RunView, { seconds }: Current): string {
  const took = seconds === null ? "" : `in ${seconds.toFixed(1)} s`;
  return [took, view.edited.value ? "edited since" : failures(view)].filter(Boolean).join(" · ");
}

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
    <progress class="bar" aria-label="Progress" />
  ) : (
    <progress class="bar" max={1} value={fraction} aria-label="Progress" />
  );
}

function Clock({ since }: { since: number }) {
  const [now, setNow] = useState(performance.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(performance.now()), 200);
    return () => clearInterval(timer);
  }, []);
  return <span class="number faint">{(Math.max(0, now - since) / 1000).toFixed(1)} s</span>;
}
