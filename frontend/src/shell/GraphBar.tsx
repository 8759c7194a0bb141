/** The graphs of a program in order, with the Python that runs between them; choosing one shows it. */
import { bytes } from "../lib/format";
import { countOf, linesOf, partsOf, type Part } from "../lib/graphs";
import { chooseGraph, selectSourceLine } from "../store/choosing";
import { useRunView } from "../store/context";
import type { Graph, Program, PythonSegment } from "../wire";
import { Fold } from "./Fold";

export function GraphBar() {
  const view = useRunView();
  const program = view.program.value;
  const parts = program ? partsOf(program) : [];
  if (parts.length === 0) return null;
  return (
    <div class="graph-bar">
      <Fold of="graphs">
        <Parts program={program!} parts={parts} />
      </Fold>
    </div>
  );
}

function Parts({ program, parts }: { program: Program; parts: readonly Part[] }) {
  const view = useRunView();
  return (
    <ol class="graph-list" aria-label="Graphs">
      <li>
        <button
          class="graph"
          aria-pressed={view.graph.value === null}
          onClick={() => chooseGraph(view, null)}
        >
          <span>Whole program</span>
          <small>{countOf(program)}</small>
        </button>
      </li>
      {parts.map((part, index) =>
        part.kind === "graph" ? (
          <li key={part.graph.id} class={part.depth > 0 ? "inner" : ""}>
            <GraphButton graph={part.graph} />
          </li>
        ) : (
          <li key={`python ${index}`}>
            <Segment segment={part.segment} />
          </li>
        ),
      )}
    </ol>
  );
}

function GraphButton({ graph }: { graph: Graph }) {
  const view = useRunView();
  const kept = graph.saved.reduce((sum, value) => sum + value.bytes, 0);
  const about = [
    graph.line === null ? "" : `line ${graph.line}`,
    kept === 0 ? "" : `keeps ${bytes(kept)}`,
  ];
  return (
    <button
      class="graph"
      aria-pressed={view.graph.value?.id === graph.id}
      onClick={() => chooseGraph(view, graph.id)}
    >
      <span>{graph.name || graph.role}</span>
      <small>{about.filter(Boolean).join(" · ") || graph.role}</small>
    </button>
  );
}

/** Lines that Python runs itself: their text, and why. */
function Segment({ segment }: { segment: PythonSegment }) {
  const view = useRunView();
  const { first_line, text, reason } = segment;
  const [first = "", ...more] = text.trim().split("\n");
  const shown = more.length > 0 ? `${first} …` : first;
  const go = () => {
    if (first_line === null) return;
    selectSourceLine(view, first_line);
    view.navigation.goToLine(first_line);
  };
  return (
    <button
      class="segment"
      title={[text, reason].filter(Boolean).join("\n\n")}
      disabled={first_line === null}
      onClick={go}
    >
      <code>{shown || "Python"}</code>
      <small>{["Python", linesOf(segment), reason].filter(Boolean).join(" · ")}</small>
    </button>
  );
}
