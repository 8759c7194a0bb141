/** Why the run failed, what can be done about it, and the inputs that it asks for. */
import { useState } from "preact/hooks";
import { failures } from "../lib/diagnostics";
import { useRunView } from "../store/context";
import { askWhy } from "../store/choosing";
import { inputsAt } from "../store/page";
import { setOptions, start } from "../store/running";
import type { Candidate, Failure } from "../wire";
import { Icon } from "./Icon";
import { AtLine } from "./Lines";

export function ProblemList() {
  const { report, edited } = useRunView();
  const { candidates } = report.value;
  return (
    <>
      {failures(report.value).map((failure, index) => (
        <FailureProblem key={index} failure={failure} asks={candidates.length > 0} />
      ))}
      {candidates.length > 0 && !edited.value && <Candidates candidates={candidates} />}
    </>
  );
}

/** What only needs an answer is a question, and no failure. */
function FailureProblem({ failure, asks }: { failure: Failure; asks: boolean }) {
  return (
    <div class={asks ? "problem asks" : "problem"}>
      <Icon name={asks ? "help" : "cross"} />
      <div>
        <p class="message">
          {failure.message} <AtLine line={failure.line} />
        </p>
        {failure.remedy !== "" && <p class="remedy">{failure.remedy}</p>}
        <Tried line={failure.line} />
      </div>
    </div>
  );
}

/** A way to the changed snippet, where one was tried for the line and runs. */
function Tried({ line }: { line: number | null }) {
  const view = useRunView();
  const findings = view.program.value?.findings ?? [];
  const tried = findings.some((each) => each.line === line && each.trial?.source);
  if (line === null || !tried || view.edited.value) return null;
  return <button onClick={() => askWhy(view, line)}>See the change that runs</button>;
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
