/** The launches, each in its hue, and the edges that were not fused with their reasons. */
import { bytes, count, microseconds, plural } from "../lib/format";
import { HUES } from "../lib/linemap";
import { select } from "../store/choosing";
import { useRunView } from "../store/context";
import type { FusionRefusal, Kernel, Resources } from "../wire";
import { Empty } from "./Empty";
import { Lines } from "./Lines";

export function KernelsPane() {
  const current = useRunView().program.value;
  if (!current || current.kernels.length === 0) return <Empty pane="kernels" />;
  return (
    <div class="pane scroll">
      <table class="table">
        <thead>
          <tr>
            <th scope="col">Kernel</th>
            <th scope="col">Kind</th>
            <th scope="col">Operations</th>
            <th scope="col">Lines</th>
            <th scope="col" class="number">
              Read
            </th>
            <th scope="col" class="number">
              Written
            </th>
            <th scope="col" class="number">
              Flops
            </th>
            <th scope="col" class="number">
              Registers
            </th>
            <th scope="col" class="number">
              Shared
            </th>
            <th scope="col" class="number">
              Estimate
            </th>
          </tr>
        </thead>
        <tbody>
          {current.kernels.map((kernel, index) => (
            <KernelRow
              key={kernel.id}
              kernel={kernel}
              hue={index % HUES}
              resources={resourcesOf(kernel, current.resources)}
            />
          ))}
        </tbody>
      </table>
      <Refusals refusals={current.fusion_refusals} />
    </div>
  );
}

/** Those of the kernel's own launch, else of the first of several that it is launched as. */
function resourcesOf({ id }: Kernel, all: readonly Resources[]): Resources | undefined {
  return all.find((r) => r.kernel === id) ?? all.find((r) => r.kernel.startsWith(`${id}_`));
}

interface RowProps {
  kernel: Kernel;
  hue: number;
  resources: Resources | undefined;
}

function KernelRow({ kernel, hue, resources }: RowProps) {
  const view = useRunView();
  const lit = kernel.nodes.some((node) => view.selection.value.nodes.has(node));
  return (
    <tr class={lit ? "lit" : ""}>
      <th scope="row">
        <button class="row" onClick={() => select(view, new Set(kernel.nodes), "kernels")}>
          <span class={`swatch hue-${hue}`} />
          <code>{kernel.id}</code>
        </button>
      </th>
      <td title={kernel.reason}>
        {kernel.kind}
        {kernel.library !== null && <span class="tag">{kernel.library}</span>}
        {kernel.reason !== "" && <span class="reason">{kernel.reason}</span>}
      </td>
      <td class="wrap">
        <code>{kernel.ops.join(" ")}</code>
      </td>
      <td>
        <Lines lines={kernel.lines} />
      </td>
      <td class="number">{bytes(kernel.bytes_read)}</td>
      <td class="number">{bytes(kernel.bytes_written)}</td>
      <td class="number">{count(kernel.flops)}</td>
      <ResourceCells resources={resources} />
    </tr>
  );
}

function ResourceCells({ resources }: { resources: Resources | undefined }) {
  const {
    registers = null,
    spills = null,
    shared_bytes = null,
    estimate_us = null,
  } = resources ?? {};
  return (
    <>
      <td class="number">
        {registers ?? "–"}
        {spills ? <span class="bad"> {plural(spills, "spill")}</span> : null}
      </td>
      <td class="number">{shared_bytes === null ? "–" : bytes(shared_bytes)}</td>
      <td class="number" title={resources ? `on ${resources.target}` : ""}>
        {estimate_us === null ? "–" : microseconds(estimate_us)}
      </td>
    </>
  );
}

function Refusals({ refusals }: { refusals: readonly FusionRefusal[] }) {
  const view = useRunView();
  if (refusals.length === 0) return <p class="note">Every edge that could be fused was.</p>;
  return (
    <section aria-label="Not fused">
      <h2 class="subhead">Not fused ({refusals.length})</h2>
      <ul class="refusals">
        {refusals.map((refusal, index) => (
          <li key={index}>
            <button class="row" onClick={() => select(view, new Set(refusal.nodes), "kernels")}>
              <code>{refusal.from}</code> <span class="faint">→</span> <code>{refusal.to}</code>
              <span class="why">{refusal.reason}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
