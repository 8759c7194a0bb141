/** The programs of the snippet as tabs, and the chosen one's headline. */
import { bytes, percent, times } from "../lib/format";
import { chooseProgram } from "../store/choosing";
import { isPython } from "../lib/graphs";
import { useRunView } from "../store/context";
import type { Program } from "../wire";
import { Icon } from "../panes/Icon";

/** What is said instead of a speed where the core's outputs are outside of their tolerance. */
const WRONG = "wrong result";

export function ProgramBar() {
  const { report, program } = useRunView();
  const { programs } = report.value;
  const current = program.value;
  if (!current) return null;
  return (
    <div class="program-bar">
      <Tabs programs={programs} />
      <dl class="headline">
        {facts(current).map(([term, text]) => (
          <div key={term} class={term === WRONG ? "bad" : ""}>
            <dt>{term}</dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

function Tabs({ programs }: { programs: readonly Program[] }) {
  const view = useRunView();
  return (
    <div class="programs" role="group" aria-label="Programs">
      {programs.map((item, index) => (
        <button
          key={index}
          class="program"
          aria-pressed={index === view.programIndex.value}
          data-status={item.status}
          title={item.inputs.join(", ")}
          onClick={() => chooseProgram(view, index)}
        >
          {item.status === "failed" && <Icon name="cross" label="failed" />}
          <code>{item.name}</code>
          <span class="faint">{item.framework === "torch" ? "PyTorch" : "JAX"}</span>
        </button>
      ))}
    </div>
  );
}

/** What the chosen program came to, as far as it is known. */
function facts(program: Program): [string, string][] {
  const { summary, timings, numerics, inputs } = program;
  const found: [string, string][] = [["inputs", inputs.join("  ")]];
  if (summary.ops_captured > 0)
    found.push(["operations", `${summary.ops_captured} → ${summary.ops_final}`]);
  if (summary.launches_core > 0) {
    found.push(["launches", `${summary.launches_eager} → ${summary.launches_core}`]);
    found.push(["traffic", `${bytes(summary.bytes_eager)} → ${bytes(summary.bytes_core)}`]);
  }
  if (summary.launches_core > 0 || isPython(program))
    found.push(["native", percent(summary.native_share)]);
  const core = timings["core"];
  if (numerics["core"]?.ok === false) found.push([WRONG, "see Numerics"]);
  else if (core?.speedup) found.push([core.verdict || "against eager", times(core.speedup)]);
  return found.filter(([, text]) => text !== "");
}
