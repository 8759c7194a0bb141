/** A remedy that was tried: what changes in the snippet, what that brought, and a way to take it over. */
import { useEffect, useRef, useState } from "preact/hooks";
import { times } from "../lib/format";
import { useRunView } from "../store/context";
import { notify } from "../store/page";
import { edit } from "../store/running";
import { Viewer } from "../text/viewer";
import type { Artifact, Trial } from "../wire";

export function TrialOf({ trial }: { trial: Trial }) {
  const view = useRunView();
  const [open, setOpen] = useState(false);
  const { source, speedup, summary } = trial;
  const gain = speedup === null ? "" : `${times(speedup)} as fast`;
  const use = () => {
    edit(view, source);
    view.navigation.show("source");
    notify("The changed snippet is in the editor: run it, or undo.");
  };
  return (
    <div class="trial">
      <p>
        <span class="good">Tried: </span>
        {[gain, summary].filter(Boolean).join(", ") || "the changed snippet runs"}{" "}
        <button aria-expanded={open} onClick={() => setOpen(!open)}>
          {open ? "Hide the change" : "Show the change"}
        </button>{" "}
        <button onClick={use}>Use it</button>
      </p>
      {open && <Change before={view.report.value.snippet.source} after={source} />}
    </div>
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
    const viewer = new Viewer(host.current!, () => {});
    const label = "The change of the snippet";
    viewer.show({ label, before: python(before), after: python(after), split: false });
    return () => viewer.destroy();
  }, [before, after]);
  return <div class="change" ref={host} />;
}
