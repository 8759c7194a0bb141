/** A memory plan drawn: each buffer a rectangle from its first step to its last, at its address, in
 * the hue of its kernel. The table below it has all numbers. */
import { useRef } from "preact/hooks";
import { bytes, plural } from "../lib/format";
import { addressTicks, busiest, extentOf, type Placed } from "../lib/memory";
import { niceStep } from "../lib/plot";
import { select } from "../store/choosing";
import { useRunView } from "../store/context";
import { useWidth } from "./useWidth";

const LABEL = 72;
const RIGHT = 12;
const AXIS = 24;
const HEIGHT = 168;
/** A name has room in a rectangle of so many pixels for each letter, and of such a height. */
const LETTER = 7;
const TALL = 14;

interface Props {
  placed: readonly Placed[];
  steps: number;
  /** The plan whose kernels' hues the buffers have. */
  backend: string;
}

export function MemoryMap({ placed, steps, backend }: Props) {
  const view = useRunView();
  const figure = useRef<HTMLElement>(null);
  const width = useWidth(figure);
  const extent = extentOf(placed);
  const room = Math.max(120, width - LABEL - RIGHT);
  const x = (step: number) => (step / steps) * room;
  const y = (address: number) => AXIS + (address / extent) * HEIGHT;
  const hues = view.huesOf(backend);
  const selected = view.selection.value.nodes;
  return (
    <figure class="plot" ref={figure}>
      <svg width={width} height={AXIS + HEIGHT + 6} role="img" aria-label={spoken(placed, steps)}>
        <g transform={`translate(${LABEL} 0)`}>
          {stepTicks(steps).map((step) => (
            <g key={step} transform={`translate(${x(step)} 0)`}>
              <line class="grid" y1={AXIS} y2={AXIS + HEIGHT} />
              <text class="tick" y={AXIS - 9} text-anchor="middle">
                {step}
              </text>
            </g>
          ))}
          {addressTicks(extent).map((address) => (
            <g key={address} transform={`translate(0 ${y(address)})`}>
              <line class="grid" x2={room} />
              <text class="tick" x={-8} y={4} text-anchor="end">
                {bytes(address)}
              </text>
            </g>
          ))}
          {placed.map((buffer) => {
            const hue = buffer.nodes.flatMap((node) => hues.get(node) ?? [])[0];
            const lit = buffer.nodes.some((node) => selected.has(node));
            const [wide, high] = [x(buffer.last + 1) - x(buffer.first), y(buffer.bytes) - y(0)];
            return (
              <g
                key={`${buffer.name} ${buffer.first}`}
                class={`memory ${hue === undefined ? "" : `hue-${hue}`} ${lit ? "lit" : ""}`}
                transform={`translate(${x(buffer.first)} ${y(buffer.offset)})`}
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
          })}
        </g>
      </svg>
      <figcaption class="faint">
        Addresses by step: two buffers at one height use the same memory, one after the other
      </figcaption>
    </figure>
  );
}

const bufferText = ({ name, type, bytes: size, offset, first, last }: Placed): string =>
  `${name}: ${type}, ${bytes(size)} at ${bytes(offset)}, steps ${first} to ${last}`;

function stepTicks(steps: number): number[] {
  const by = Math.max(1, Math.ceil(niceStep(steps / 8)));
  return Array.from({ length: Math.floor(steps / by) + 1 }, (_, i) => i * by);
}

function spoken(placed: readonly Placed[], steps: number): string {
  const most = busiest(placed);
  const alive = `most alive at step ${most.step}, ${bytes(most.bytes)}`;
  return `${plural(placed.length, "buffer")} over ${plural(steps, "step")}, ${alive}. The table has all numbers.`;
}
