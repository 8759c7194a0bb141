/** The memory plan: every buffer from its first step to its last, at its place. */
import { bytes, plural } from "../lib/format";
import { select } from "../store/choosing";
import { useRunView } from "../store/context";
import type { Buffer } from "../wire";
import { Empty } from "./Empty";

export function MemoryPane() {
  const buffers = useRunView().program.value?.buffers ?? [];
  if (buffers.length === 0) return <Empty pane="memory" />;
  const steps = Math.max(...buffers.map((buffer) => buffer.last)) + 1;
  const planned = buffers.filter((buffer) => buffer.offset !== null);
  const peak = Math.max(0, ...planned.map((buffer) => (buffer.offset ?? 0) + buffer.bytes));
  return (
    <div class="pane scroll">
      <table class="table">
        <thead>
          <tr>
            <th scope="col">Buffer</th>
            <th scope="col">Type</th>
            <th scope="col" class="number">
              Size
            </th>
            <th scope="col" class="number">
              Offset
            </th>
            <th scope="col" class="life">
              Alive, of {plural(steps, "step")}
            </th>
          </tr>
        </thead>
        <tbody>
          {buffers.map((buffer) => (
            <BufferRow key={buffer.name} buffer={buffer} steps={steps} />
          ))}
        </tbody>
      </table>
      <p class="note">
        {planned.length > 0
          ? `${plural(planned.length, "buffer")} of ${bytes(total(planned))} share ${bytes(peak)}.`
          : "Inputs and results only: nothing has to be kept in between."}
      </p>
    </div>
  );
}

const total = (buffers: readonly Buffer[]): number => buffers.reduce((sum, b) => sum + b.bytes, 0);

function BufferRow({ buffer, steps }: { buffer: Buffer; steps: number }) {
  const view = useRunView();
  const lit = buffer.nodes.some((node) => view.selection.value.nodes.has(node));
  const from = (buffer.first / steps) * 100;
  const width = ((buffer.last - buffer.first + 1) / steps) * 100;
  return (
    <tr class={lit ? "lit" : ""}>
      <th scope="row">
        <button class="row" onClick={() => select(view, new Set(buffer.nodes), "memory")}>
          <code>{buffer.name}</code>
        </button>
      </th>
      <td>
        <code>{buffer.type}</code>
      </td>
      <td class="number">{bytes(buffer.bytes)}</td>
      <td class="number">{buffer.offset === null ? "–" : bytes(buffer.offset)}</td>
      <td class="life">
        <svg
          width="100%"
          height="12"
          role="img"
          aria-label={`Steps ${buffer.first} to ${buffer.last}`}
        >
          <rect x={`${from}%`} width={`${width}%`} height="12" rx="2" />
        </svg>
      </td>
    </tr>
  );
}
