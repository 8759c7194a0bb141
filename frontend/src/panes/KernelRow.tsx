/** One launch: what it is, how it is scheduled and among which candidates, what it moves and needs. */
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { bytes, count, microseconds, plural, repeats } from "../lib/format";
import { choiceRunOf, modelOf } from "../lib/launchtimes";
import { hueOfKernel } from "../lib/linemap";
import { isOfPlan } from "../lib/plans";
import { worstOf } from "../lib/precision";
import { select } from "../store/choosing";
import { useRunView } from "../store/context";
import type { Kernel, KernelError, Resources, ScheduleCandidate } from "../wire";
import { ErrorBar } from "./ErrorBar";
import { Icon } from "./Icon";
import { Lines } from "./Lines";
import { Name } from "./Name";
import { UseThis } from "./UseThis";

export interface Props {
  /** The launches that the row stands for, the one that it shows first. */
  launches: readonly [Kernel, ...Kernel[]];
  resources: readonly Resources[];
  /** How many columns the table has, and whether one is for schedules. */
  columns: number;
  scheduled: boolean;
  /** The errors of the program's kernels. */
  errors: readonly KernelError[];
  /** What stands behind the name. */
  children?: ComponentChildren;
}

export function KernelRow(props: Props) {
  const { launches, resources, columns, scheduled, errors, children } = props;
  const view = useRunView();
  const [open, setOpen] = useState(false);
  const [kernel] = launches;
  const nodes = new Set(launches.flatMap((launch) => launch.nodes));
  const lit = [...nodes].some((node) => view.selection.value.nodes.has(node));
  const worst = worstOf(launches, errors);
  const hue = hueOfKernel(view.kernelsOf(kernel.backend), kernel.id, new Set([kernel.graph]));
  return (
    <>
      <tr class={lit ? "lit" : ""}>
        <th scope="row">
          <button class="row" onClick={() => select(view, nodes, "kernels")}>
            <span class={`swatch hue-${hue ?? 0}`} />
            <Name of={kernel.id} />
          </button>
          {worst !== null && <ErrorBar size={worst.size} of={worst.kernel.id} />}
          {children}
        </th>
        <td data-label="Kind" title={kernel.reason}>
          {kernel.kind}
          {kernel.library !== null && <span class="tag">{libraryOf(kernel)}</span>}
          {kernel.reason !== "" && kernel.reason !== kernel.schedule?.reason && (
            <span class="reason">{kernel.reason}</span>
          )}
        </td>
        {scheduled && <ScheduleCell kernel={kernel} open={open} onToggle={() => setOpen(!open)} />}
        <td class="wrap" data-label="Operations">
          <Name of={repeats(kernel.ops)} />
        </td>
        <td data-label="Lines">
          <Lines lines={[...new Set(launches.flatMap(({ lines }) => lines))]} />
        </td>
        <td class="number" data-label="Moves">
          <Figure value={bytes(kernel.bytes_read)} of="read" />
          <Figure value={bytes(kernel.bytes_written)} of="written" />
          <Figure value={count(kernel.flops)} of="flops" />
        </td>
        <ResourceCell resources={resourcesOf(kernel, resources)} />
      </tr>
      {open && (
        <tr class="details">
          <td colSpan={columns}>
            <Candidates kernel={kernel} />
          </td>
        </tr>
      )}
    </>
  );
}

/** A library's name; where that is the kind's own, only that it is one. */
const libraryOf = ({ kind, library }: Kernel): string | null =>
  library === kind ? "library" : library;

/** Those of the kernel's own launch, else of the first of several that it is launched as. */
function resourcesOf(kernel: Kernel, all: readonly Resources[]): Resources | undefined {
  const own = all.filter((r) => r.graph === kernel.graph && isOfPlan(r, kernel.backend));
  const { id } = kernel;
  return own.find((r) => r.kernel === id) ?? own.find((r) => r.kernel.startsWith(`${id}_`));
}

const ON_GPU = "On a GPU";

/** What a launch takes of a GPU, where it was compiled for one. */
function ResourceCell({ resources }: { resources: Resources | undefined }) {
  if (!resources)
    return (
      <td class="number" data-label={ON_GPU}>
        –
      </td>
    );
  const { registers, spills, shared_bytes: shared, estimate_us: estimate, target } = resources;
  return (
    <td class="number" data-label={ON_GPU} title={`on ${target}`}>
      {registers !== null && <Figure value={String(registers)} of="registers" />}
      {spills ? <span class="figure bad">{plural(spills, "spill")}</span> : null}
      {shared !== null && <Figure value={bytes(shared)} of="shared" />}
      {estimate !== null && (
        <span class="figure">
          {`≈ ${microseconds(estimate)} `}
          <span class="faint estimated">estimated</span>
        </span>
      )}
    </td>
  );
}

function Figure({ value, of }: { value: string; of: string }) {
  return (
    <span class="figure">
      {value} <span class="faint">{of}</span>
    </span>
  );
}

interface ScheduleProps {
  kernel: Kernel;
  open: boolean;
  onToggle: () => void;
}

/** The schedule that was chosen and why; its button shows what else was considered. */
function ScheduleCell({ kernel, open, onToggle }: ScheduleProps) {
  const { id, schedule, candidates, chosen_with: together } = kernel;
  if (schedule === null) return <td data-label="Schedule">–</td>;
  const [first = id] = together;
  return (
    <td class="schedule" data-label="Schedule">
      {schedule.strategy} <Parameters of={schedule.parameters} />
      {first === id && <Cost kernel={kernel} />}
      {schedule.reason !== "" && <span class="why">{schedule.reason}</span>}
      {first !== id && (
        <span class="why">
          one choice with <code>{first}</code>
        </span>
      )}
      {first === id && hasChoice(candidates) && (
        <button
          class="disclose"
          aria-expanded={open}
          aria-label={`${plural(candidates.length, "candidate")} for ${id}`}
          onClick={onToggle}
        >
          <Icon name={open ? "down" : "right"} /> {plural(candidates.length, "candidate")}
        </button>
      )}
    </td>
  );
}

/** Whether there is another candidate, or something of the only one may be set. */
const hasChoice = (candidates: readonly ScheduleCandidate[]): boolean =>
  candidates.length > 1 || candidates.some(({ free }) => Object.keys(free).length > 0);

/** What the model says that the launch costs, or all launches of its choice together; beside it,
 * what they took where a call was profiled. */
function Cost({ kernel }: { kernel: Kernel }) {
  const program = useRunView().program.value;
  const cost = modelOf(kernel);
  if (cost === null) return null;
  const { chosen_with: together, backend } = kernel;
  const of = together.length > 1 ? ` for ${plural(together.length, "launch")}` : "";
  const took = program?.backend === backend ? choiceRunOf(program, kernel) : null;
  return (
    <span class="faint" title="The cost model's estimate, and the time in a profiled call">
      {" "}
      {`≈\u00a0${microseconds(cost)}${of}`}
      {took !== null && `, took\u00a0${microseconds(took)}`}
    </span>
  );
}

function Parameters({ of }: { of: Record<string, number | string> }) {
  const text = Object.entries(of).map(([name, value]) => `${name}=${value}`);
  return text.length === 0 ? null : <code class="faint">{text.join(" ")}</code>;
}

function Candidates({ kernel }: { kernel: Kernel }) {
  const { id, candidates } = kernel;
  return (
    <table class="candidates-table" aria-label={`Candidates for ${id}`}>
      <thead>
        <tr>
          <th scope="col">Candidate</th>
          <th scope="col" class="number" title="The cost model's estimate">
            Model
          </th>
          <th scope="col">Reason</th>
          <th scope="col">What if</th>
        </tr>
      </thead>
      <tbody>
        {candidates.map((candidate, index) => (
          <CandidateRow key={index} kernel={kernel} candidate={candidate} />
        ))}
      </tbody>
    </table>
  );
}

interface CandidateProps {
  kernel: Kernel;
  candidate: ScheduleCandidate;
}

function CandidateRow({ kernel, candidate }: CandidateProps) {
  const { strategy, parameters, cost_us, chosen, reason } = candidate;
  return (
    <tr class={chosen ? "chosen" : ""}>
      <th scope="row">
        <Icon name={chosen ? "check" : "dash"} label={chosen ? "chosen" : "left"} /> {strategy}{" "}
        <Parameters of={parameters} />
      </th>
      <td class="number">{cost_us === null ? "–" : microseconds(cost_us)}</td>
      <td class="wrap">{reason}</td>
      <td>
        <UseThis kernel={kernel} candidate={candidate} />
      </td>
    </tr>
  );
}
