/** The memory plan drawn: a rectangle a buffer, from its first step to its last, at its address, in
 * its kernel's hue; behind them what eager holds. */
import { bytes, plural } from "../lib/format";
import { addressTicks, busiest, extentOf, memoryTable, type Placed } from "../lib/memory";
import { niceStep, type Scale } from "../lib/plot";
import { select } from "../store/choosing";
import { useRunView } from "../store/context";
import type { Graph } from "../wire";
import { AXIS, FOOT, PlotFrame } from "./PlotFrame";

const LABEL = 72;
const HEIGHT = 168;
/** A name has room in a rectangle of so many pixels for each letter, and of such a height. */
const LETTER = 7;
const TALL = 14;

interface Props {
  placed: readonly Placed[];
  steps: number;
  /** The plan whose kernels' hues the buffers have. */
  backend: string;
  /** The graph, where eager's memory is to be compared. */
  graph: Graph | null;
}

export function MemoryMap({ placed, steps, backend, graph }: Props) {
  const eager = graph?.held_eager ?? [];
  const extent = Math.max(extentOf(placed), ...eager, 1);
  const y = (address: number) => AXIS + (address / extent) * HEIGHT;
  return (
    <PlotFrame
      left={LABEL}
      height={HEIGHT + FOOT}
      scale={(room) => stepScale(steps, room)}
      format={String}
      caption={() => <Caption eager={eager} graph={graph} />}
      file="memory"
      table={() => memoryTable(placed)}
      svg={{ role: "img", "aria-label": spoken(placed, steps, eager) }}
    >
      {(x, room) => (
        <>
          {addressTicks(extent).map((address) => (
            <g key={address} transform={`translate(0 ${y(address)})`}>
              <line class="grid" x2={room} />
              <text class="tick" x={-8} y={4} text-anchor="end">
                {bytes(address)}
              </text>
            </g>
          ))}
          {eager.length > 0 && <path class="eager-memory" d={outline(eager, room, y)} />}
          {placed.map((buffer) => (
            <Rectangle
              key={`${buffer.name} ${buffer.first}`}
              buffer={buffer}
              backend={backend}
              x={x}
              y={y}
            />
          ))}
        </>
      )}
    </PlotFrame>
  );
}

interface RectangleProps {
  buffer: Placed;
  backend: string;
  x: Scale;
  y: (address: number) => number;
}

function Rectangle({ buffer, backend, x, y }: RectangleProps) {
  const view = useRunView();
  const hues = view.huesOf(backend);
  const hue = buffer.nodes.flatMap((node) => hues.get(node) ?? [])[0];
  const lit = buffer.nodes.some((node) => view.selection.value.nodes.has(node));
  const wide = x.at(buffer.last + 1) - x.at(buffer.first);
  const high = y(buffer.bytes) - y(0);
  return (
    <g
      class={`memory ${hue === undefined ? "" : `hue-${hue}`} ${lit ? "lit" : ""}`}
      transform={`translate(${x.at(buffer.first)} ${y(buffer.offset)})`}
      onClick={() => select(view, new Set(buffer.nodes), "memory")}
    >
      <title>{bufferText(buffer)}</title>
      <rect width={Math.max(1, wide - 1)} height={Math.max(1, high - 1)} rx={2} />
      {wide > LETTER * buffer.name.length && high >= TALL && (
        <text x={4} y={Math.min(high / 2 + 4, 14)}>
          {buffer.name}
        </text>
      )}
    </g>
  );
}

/** Eager's operations have the width that the plan's steps have. */
function outline(held: readonly number[], room: number, y: (bytes: number) => number): string {
  const at = (index: number) => (index / held.length) * room;
  const steps = held.map((bytes, index) => `V${y(bytes)}H${at(index + 1)}`);
  return `M0,${y(0)}${steps.join("")}V${y(0)}Z`;
}

function Caption({ eager, graph }: { eager: readonly number[]; graph: Graph | null }) {
  const parts = [
    "Addresses by step: two buffers at one height use the same memory, one after the other",
    eager.length > 0 &&
      `behind, dashed: what eager holds during its ${plural(eager.length, "operation")}, at most ${bytes(Math.max(...eager))}`,
    graph?.weight_bytes && `apart: weights ${bytes(graph.weight_bytes)}`,
    graph?.given_bytes && `arguments ${bytes(graph.given_bytes)}`,
  ];
  return <>{parts.filter(Boolean).join("; ")}</>;
}

const bufferText = ({ name, type, bytes: size, offset, first, last }: Placed): string =>
  `${name}: ${type}, ${bytes(size)} at ${bytes(offset)}, steps ${first} to ${last}`;

function stepScale(steps: number, room: number): Scale {
  const by = Math.max(1, Math.ceil(niceStep(steps / 8)));
  const ticks = Array.from({ length: Math.floor(steps / by) + 1 }, (_, i) => i * by);
  return { at: (step) => (step / steps) * room, ticks, log: false };
}

function spoken(placed: readonly Placed[], steps: number, eager: readonly number[]): string {
  const most = busiest(placed);
  const alive = `most alive at step ${most.step}, ${bytes(most.bytes)}`;
  const beside = eager.length > 0 ? `; eager holds up to ${bytes(Math.max(...eager))}` : "";
  return `${plural(placed.length, "buffer")} over ${plural(steps, "step")}, ${alive}${beside}. The table has all numbers.`;
}
