/** Which kernel brings which error, and which eager brings at the same place; the worst first. */
import { useState } from "preact/hooks";
import { digits } from "../lib/format";
import { hueOfKernel } from "../lib/linemap";
import { cancelled, place, relative, errorText, ulps, worstFirst } from "../lib/precision";
import { select } from "../store/choosing";
import { useRunView } from "../store/context";
import type { ErrorSize, KernelError, Stage } from "../wire";
import { ErrorBar } from "./ErrorBar";
import { KernelErrorPlot } from "./KernelErrorPlot";
import { Lines } from "./Lines";
import { Name } from "./Name";

/** As many as are looked at before somebody asks for all. */
const FEW = 12;

export function KernelErrors() {
  const view = useRunView();
  const [all, setAll] = useState(false);
  const errors = worstFirst((view.program.value?.kernel_errors ?? []).filter(view.isShown.value));
  const shown = all ? errors : errors.slice(0, FEW);
  const left = view.stages.value.filter(leavesOut);
  // As of a run that was stopped before.
  if (errors.length + left.length === 0) return null;
  return (
    <section>
      <h2 class="subhead">Where precision is lost</h2>
      <KernelErrorPlot errors={shown} />
      {errors.length > 0 && <Table errors={shown} />}
      {errors.length > shown.length && (
        <button class="disclose" onClick={() => setAll(true)}>
          All {errors.length} values
        </button>
      )}
      <Left stages={left} />
      {errors.length > 0 && <About />}
    </section>
  );
}

function About() {
  return (
    <p class="note">
      Every value that a kernel leaves in memory, against float64. <em>Brings</em>: what the kernel
      wrote, against its own operations in float64 on the very values that it read; half a unit in
      the last place (ulp) is what rounding to the type brings. Of a sum whose terms cancel, the
      error is of the terms&apos; size, and ordered by that. <em>There in all</em>: with what came
      before it in its graph. Eager runs the captured operations one by one; where it has no such
      value there is a dash.
    </p>
  );
}

const leavesOut = ({ name, status, summary }: Stage): boolean =>
  name === "precision" && (status !== "ok" || summary.includes(";"));

/** Why values are left out, graph by graph. */
function Left({ stages }: { stages: readonly Stage[] }) {
  const view = useRunView();
  const names = new Map(view.program.value?.graphs.map(({ id, name }) => [id, name]));
  return (
    <>
      {stages.map(({ graph, status, summary }, index) => (
        <p class="note" key={index}>
          {stages.length > 1 && `${names.get(graph) || graph}: `}
          {status === "ok" ? summary : `Not looked at: ${summary}`}
        </p>
      ))}
    </>
  );
}

function Table({ errors }: { errors: readonly KernelError[] }) {
  return (
    <div class="error-table" tabIndex={0}>
      <table class="table cards">
        <thead>
          <tr>
            <th scope="col">Kernel</th>
            <th scope="col" class="number">
              Brings
            </th>
            <th scope="col" class="number">
              Eager brings
            </th>
            <th scope="col" class="number">
              There in all
            </th>
            <th scope="col" class="number">
              Eager in all
            </th>
            <th scope="col">Lines</th>
            <th scope="col">Value</th>
            <th scope="col">Largest at</th>
          </tr>
        </thead>
        <tbody>
          {errors.map((error) => (
            <Row key={`${error.graph} ${error.buffer}`} error={error} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Row({ error }: { error: KernelError }) {
  const view = useRunView();
  const kernels = view.kernelsOf(error.backend);
  const kernel = kernels.find(({ id, graph }) => id === error.kernel && graph === error.graph);
  const nodes = new Set(kernel?.nodes);
  const lit = [...nodes].some((node) => view.selection.value.nodes.has(node));
  const hue = hueOfKernel(kernels, error.kernel, new Set([error.graph]));
  return (
    <tr class={lit ? "lit" : ""}>
      <th scope="row">
        <button class="row" onClick={() => select(view, nodes, "numerics")}>
          <span class={`swatch hue-${hue ?? 0}`} />
          <Name of={error.kernel} />
        </button>
        <ErrorBar size={error.own} of={error.kernel} />
      </th>
      <Size of="Brings" size={error.own} />
      <Size of="Eager brings" size={error.eager_own} />
      <Size of="There in all" size={error.accumulated} />
      <Size of="Eager in all" size={error.eager_accumulated} />
      <td data-label="Lines">
        <Lines lines={kernel?.lines ?? []} />
      </td>
      <td class="value" data-label="Value">
        <code>
          {error.buffer} {error.type}
        </code>
      </td>
      <Largest size={error.own} />
    </tr>
  );
}

function Size({ of, size }: { of: string; size: ErrorSize | null }) {
  return (
    <td class="number" data-label={of} title={size === null ? "" : errorText(size)}>
      {relative(size)}
      {size !== null && <small>{cancelled(size) || ulps(size)}</small>}
    </td>
  );
}

const LARGEST = "Largest at";

/** The element with the largest error: what is there, and what float64 has. */
function Largest({ size }: { size: ErrorSize }) {
  if (size.index.length === 0 && size.differing === 0) return <td data-label={LARGEST}>–</td>;
  return (
    <td class="largest" data-label={LARGEST}>
      <code>{place(size)}</code>
      <small>
        {number(size.got)} instead of {number(size.exact)}
      </small>
    </td>
  );
}

/** As many digits as tell two numbers of float32 apart; short numbers as they are. */
function number(value: number | null): string {
  if (value === null) return "no number";
  return Number.isInteger(value) ? digits(value) : String(Number(value.toPrecision(9)));
}
