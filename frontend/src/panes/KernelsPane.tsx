/** The launches, each in its hue, by graph and plan; and the edges that were not fused. */
import { equalOnes, launchesInWords } from "../lib/equal";
import { sectionsOf, withoutLaunch, type Section } from "../lib/plans";
import { useRunView } from "../store/context";
import type { Kernel, Program } from "../wire";
import { Empty } from "./Empty";
import { EqualRows } from "./EqualRows";
import { PlanSwitch } from "./PlanSwitch";
import { Refusals } from "./Refusals";
import { RooflinePlot } from "./RooflinePlot";
import { isNamed, SectionHead } from "./SectionHead";

export function KernelsPane() {
  const view = useRunView();
  const current = view.program.value;
  if (!current || current.kernels.length === 0) return <Empty pane="kernels" />;
  const kernels = current.kernels.filter(view.isShown.value);
  const sections = sectionsOf(current, kernels);
  return (
    <div class="pane">
      {view.backends.value.length > 1 && (
        <div class="pane-head">
          <PlanSwitch />
        </div>
      )}
      <div class="pane-body">
        {sections.length > 0 ? (
          <Launches program={current} sections={sections} />
        ) : (
          <p class="note">This part of the program launches nothing.</p>
        )}
        <RooflinePlot program={{ ...current, kernels }} backend={view.onePlan.value} />
        <Refusals program={current} />
      </div>
    </div>
  );
}

const COLUMNS: readonly (readonly [name: string, numeric: boolean])[] = [
  ["Kernel", false],
  ["Kind", false],
  ["Schedule", false],
  ["Operations", false],
  ["Lines", false],
  ["Moves", true],
  ["On a GPU", true],
];

interface LaunchesProps {
  program: Program;
  sections: readonly Section<Kernel>[];
}

function Launches({ program, sections }: LaunchesProps) {
  const scheduled = program.kernels.some(({ schedule }) => schedule !== null);
  const columns = COLUMNS.filter(([name]) => scheduled || name !== "Schedule");
  return (
    <table class="table cards launches">
      <thead>
        <tr>
          {columns.map(([name, numeric]) => (
            <th key={name} scope="col" class={numeric ? "number" : ""}>
              {name}
            </th>
          ))}
        </tr>
      </thead>
      {sections.map((section) => (
        <tbody key={section.key}>
          <tr class="section">
            <th scope="rowgroup" colSpan={columns.length}>
              {isNamed(section) && <SectionHead section={section} />}
              <span class="count"> {launchesInWords(section.entries)}</span>
            </th>
          </tr>
          {equalOnes(section.entries).map((equal) => (
            <EqualRows
              key={equal.first.id}
              equal={equal}
              resources={program.resources}
              columns={columns.length}
              scheduled={scheduled}
              errors={program.kernel_errors}
            />
          ))}
          <Numbers launches={section.entries} columns={columns.length} />
        </tbody>
      ))}
    </table>
  );
}

/** Why numbers are left out. */
function Numbers({ launches, columns }: { launches: readonly Kernel[]; columns: number }) {
  const missing = withoutLaunch(launches);
  if (missing.length === 0) return null;
  return (
    <tr class="details">
      <td colSpan={columns}>
        <p class="numbers faint">
          {missing.join(", ")}: no launch of its own; one that stands for several steps has the
          number of the last, and what nobody reads is not launched
        </p>
      </td>
    </tr>
  );
}
