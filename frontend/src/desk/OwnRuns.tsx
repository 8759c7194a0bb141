/** The runs that this browser asked for: opened, renamed, deleted. */
import { useEffect, useRef, useState } from "preact/hooks";
import { Icon } from "../panes/Icon";
import { deleteRun, getOwnRuns, renameRun, type OwnRun } from "../net/own";
import { useRunView } from "../store/context";
import { open } from "../store/running";
import { dayOf } from "./days";

type Loaded = { state: "coming" } | { state: "here"; runs: readonly OwnRun[] };

export function OwnRuns({ close }: { close: () => void }) {
  const [loaded, setLoaded] = useState<Loaded>({ state: "coming" });
  const [problem, setProblem] = useState("");
  const load = async () => {
    const answer = await getOwnRuns();
    if (answer.ok) setLoaded({ state: "here", runs: answer.value.runs });
    setProblem(answer.ok ? "" : answer.error);
  };
  useEffect(() => void load(), []);
  return (
    <>
      {problem && (
        <p class="note" role="alert">
          {problem}
        </p>
      )}
      {loaded.state === "coming" && !problem && (
        <p class="note" role="status">
          Fetching your runs
        </p>
      )}
      {loaded.state === "here" && loaded.runs.length === 0 && (
        <p class="note">Runs that you ask for in this browser are listed here.</p>
      )}
      {loaded.state === "here" && (
        <ul class="desk-list">
          {loaded.runs.map((run) => (
            <Row key={run.id} run={run} close={close} changed={load} failed={setProblem} />
          ))}
        </ul>
      )}
    </>
  );
}

interface Props {
  run: OwnRun;
  close: () => void;
  changed: () => Promise<void>;
  failed: (sentence: string) => void;
}

function Row({ run, close, changed, failed }: Props) {
  const view = useRunView();
  const [doing, setDoing] = useState<"" | "renaming" | "deleting">("");
  const done = async (asked: ReturnType<typeof renameRun>): Promise<boolean> => {
    const answer = await asked;
    setDoing("");
    if (answer.ok) await changed();
    else failed(answer.error);
    return answer.ok;
  };
  const remove = async () => {
    if ((await done(deleteRun(run.id))) && view.run.value?.id === run.id) await leave();
  };
  const leave = async () => {
    history.pushState(null, "", "/");
    await open(view, null);
  };
  const follow = (event: MouseEvent) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    view.address.opened(run.id);
    void open(view, run.id);
    close();
  };
  return (
    <li>
      <div class="desk-row">
        {doing === "renaming" ? (
          <Renaming run={run} onName={(name) => void done(renameRun(run.id, name))} />
        ) : (
          <a class="desk-name link" href={run.url} onClick={follow}>
            {run.name}
          </a>
        )}
        <span class="faint">
          {run.state === "done" ? "" : `${run.state} · `}
          {run.shared ? "kept · " : ""}
          {dayOf(run.created)}
        </span>
        {doing === "deleting" ? (
          <>
            <button class="bar-button" onClick={() => void remove()}>
              Delete for good
            </button>
            <button class="bar-button" onClick={() => setDoing("")}>
              Keep
            </button>
          </>
        ) : (
          <>
            <button
              class="bar-button"
              aria-label={`Rename ${run.name}`}
              onClick={() => setDoing(doing === "renaming" ? "" : "renaming")}
            >
              Rename
            </button>
            <button
              class="quiet"
              aria-label={`Delete ${run.name}`}
              onClick={() => setDoing("deleting")}
            >
              <Icon name="cross" />
            </button>
          </>
        )}
      </div>
      {run.verdict && <p class="faint">{run.verdict}</p>}
    </li>
  );
}

function Renaming({ run, onName }: { run: OwnRun; onName: (name: string) => void }) {
  const input = useRef<HTMLInputElement>(null);
  // Once: a run that ends meanwhile draws its row again.
  useEffect(() => input.current?.focus(), []);
  return (
    <input
      class="desk-name"
      aria-label={`Name of ${run.name}`}
      maxLength={80}
      value={run.name}
      ref={input}
      onChange={(event) => onName(event.currentTarget.value)}
    />
  );
}
