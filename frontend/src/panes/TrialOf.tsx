/** A remedy that was tried: what changes in the snippet, what that brought, and a way to take it over. */
import { useEffect, useRef, useState } from "preact/hooks";
import { gainWords, timeWords } from "../lib/trial";
import { useRunView } from "../store/context";
import { notify } from "../store/page";
import { edit } from "../store/running";
import { Viewer } from "../text/viewer";
import type { Artifact, Trial } from "../wire";

export function TrialOf({ trial }: { trial: Trial }) {
  const { source, summary } = trial;
  const helped = trial.times.length === 0 || trial.times.some((t) => t.verdict === "faster");
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
