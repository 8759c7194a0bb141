/** The programs of the snippet as tabs, and the chosen one's verdict. */
import { chooseProgram } from "../store/choosing";
import { useRunView } from "../store/context";
import { cameBy } from "../lib/compilers";
import type { Program } from "../wire";
import { Icon } from "../panes/Icon";
import { NoteAt } from "../panes/NoteAt";
import { VerdictStrip } from "../panes/parts";
import { Fold } from "./Fold";

export function ProgramBar() {
  const { report, program } = useRunView();
  const { programs } = report.value;
  const current = program.value;
  if (!current) return null;
  return (
    <div class="program-bar">
      <Fold of="verdict">
        <Tabs programs={programs} />
        <VerdictStrip program={current} />
        <NoteAt at="verdict" />
      </Fold>
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
          <span class="faint">{cameBy(item, view.run.value?.source ?? "")}</span>
        </button>
      ))}
    </div>
  );
}
