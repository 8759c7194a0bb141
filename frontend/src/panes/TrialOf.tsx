/** A remedy that was tried: what changes in the snippet, what that brought, and a way to take it over. */
import { useEffect, useRef, useState } from "preact/hooks";
import { gainWords, timeWords } from "../lib/trial";
import { useRunView } from "../store/context";
import { notify } from "../store/page";
import { edit, setOptions, start } from "../store/running";
import { Viewer } from "../text/viewer";
import type { Artifact, Trial } from "../wire";

interface Props {
  trial: Trial;
  /** The lines of what it is a remedy of. */
  lines?: readonly number[];
}

export function TrialOf({ trial, lines = [] }: Props) {
  const { source, summary } = trial;
  const helped = trial.times.length === 0 || trial.times.some((t) => t.verdict === "faster");
  if (trial.left_out) return <LeftOut summary={summary} lines={lines} />;
  if (source === "") return <p class="trial faint">Remedy: {summary}.</p>;
  return (
    <div class="trial">
      <p>
        <span class={helped ? "good" : "faint"}>Tried: </span>
        {[gainWords(trial), summary].filter(Boolean).join(", ") || "the changed snippet runs"}
      </p>
      {trial.times.length > 0 && <Times trial={trial} />}
      <Taken source={source} />
    </div>
  );
}

/** A remedy that there was no time for, and a run in which it comes first. */
function LeftOut({ summary, lines }: { summary: string; lines: readonly number[] }) {
  const view = useRunView();
  const ask = () => {
    setOptions(view, { trials: true, trials_first: [...lines] });
    void start(view);
  };
  return (
    <div class="trial row">
      <p class="faint">Remedy: {summary}.</p>
      {!view.isReader && lines.length > 0 && (
        <button title="Runs the snippet again, and tries this remedy before others" onClick={ask}>
          Try it now
        </button>
      )}
    </div>
  );
}

function Taken({ source }: { source: string }) {
  const view = useRunView();
  const [open, setOpen] = useState(false);
  const use = () => {
    edit(view, source);
    view.navigation.show("source");
    notify("The changed snippet is in the editor: run it, or undo.");
  };
  return (
    <>
      <p class="row">
        <button aria-expanded={open} onClick={() => setOpen(!open)}>
          {open ? "Hide the change" : "Show the change"}
        </button>
        {!view.isReader && <button onClick={use}>Use it</button>}
      </p>
      {open && <Change before={view.report.value.snippet.source} after={source} />}
    </>
  );
}

/** The times before and after, by each compiler that was timed. */
function Times({ trial }: { trial: Trial }) {
  return (
    <ul class="trial-times">
      {trial.times.map((time) => (
        <li key={`${time.compiler} ${time.first_calls}`}>{timeWords(trial, time)}</li>
      ))}
    </ul>
  );
}

const python = (text: string): Artifact => ({
  name: "snippet",
  kind: "snippet",
  language: "python",
  text,
  nodes: [],
  kernel: null,
  stored: null,
});

function Change({ before, after }: { before: string; after: string }) {
  const host = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const viewer = new Viewer(host.current!, { onLine: () => {} });
    const label = "The change of the snippet";
    viewer.show({ label, before: python(before), after: python(after), split: false });
    return () => viewer.destroy();
  }, [before, after]);
  return <div class="change" ref={host} />;
}
