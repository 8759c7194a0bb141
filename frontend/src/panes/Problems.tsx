/** Under the editor: why the run failed, and the inputs that it asks for. */
import { useState } from "preact/hooks";
import { failures } from "../lib/diagnostics";
import { useRunView } from "../store/context";
import { inputsAt } from "../store/page";
import { setOptions, start } from "../store/running";
import type { Candidate, Failure } from "../wire";
import { Icon } from "./Icon";
import { Lines } from "./Lines";

export function Problems() {
  const { report, complaint, edited } = useRunView();
  const { candidates } = report.value;
  const found = failures(report.value);
  const asked = complaint.value;
  if (asked === null && found.length === 0) return null;
  return (
    <div class="problems" role="alert">
      {asked !== null && <Problem text={asked} />}
      {found.map((failure, index) => (
        <FailureProblem key={index} failure={failure} asks={candidates.length > 0} />
      ))}
      {candidates.length > 0 && !edited.value && <Candidates candidates={candidates} />}
    </div>
  );
}

function Problem({ text }: { text: string }) {
  return (
    <div class="problem">
      <Icon name="cross" />
      <p class="message">{text}</p>
    </div>
  );
}

/** What only needs an answer is a question, and no failure. */
function FailureProblem({ failure, asks }: { failure: Failure; asks: boolean }) {
  return (
    <div class={asks ? "problem asks" : "problem"}>
      <Icon name={asks ? "help" : "cross"} />
      <div>
        <p class="message">
          {failure.message} {failure.line !== null && <span class="faint">line </span>}
          <Lines lines={[failure.line]} />
        </p>
        {failure.remedy !== "" && <p class="remedy">{failure.remedy}</p>}
      </div>
    </div>
  );
}

function Candidates({ candidates }: { candidates: readonly Candidate[] }) {
  return (
    <div class="candidates">
      {candidates.map((candidate) => (
        <CandidateForm key={`${candidate.name}:${candidate.line}`} candidate={candidate} />
      ))}
    </div>
  );
}

function CandidateForm({ candidate }: { candidate: Candidate }) {
  const view = useRunView();
  const [inputs, setInputs] = useState(candidate.inputs);
  const run = (event: Event) => {
    event.preventDefault();
    setOptions(view, { inputs });
    void start(view);
  };
  return (
    <form class="candidate" onSubmit={run}>
      <label>
        <code>
          {candidate.name}({candidate.parameters.join(", ")})
        </code>
        <input
          value={inputs}
          spellcheck={false}
          onInput={(event) => setInputs(event.currentTarget.value)}
        />
      </label>
      <button type="button" onClick={() => (inputsAt.value = inputs || `${candidate.name}()`)}>
        Form
      </button>
      <button class="primary" disabled={view.busy.value}>
        Run with these
      </button>
    </form>
  );
}
