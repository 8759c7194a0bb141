/** The mesh of devices of a JAX program, and which part of a chosen array each device holds. */
import { useState } from "preact/hooks";
import { bytes, plural } from "../lib/format";
import {
  blocksOf,
  devicesText,
  drawingOf,
  partByDevice,
  partsOf,
  placementsOf,
  sidesOf,
  type Part,
} from "../lib/mesh";
import { useRunView } from "../store/context";
import type { Holding, Mesh, Placement } from "../wire";
import { Empty } from "./Empty";
import { MeshTraffic } from "./MeshTraffic";

const ROLES = { argument: "Arguments", result: "Results" } as const;

export function MeshPane() {
  const { stages } = useRunView();
  const [chosen, setChosen] = useState(0);
  const [placement] = placementsOf(stages.value);
  const holding = placement?.holdings[chosen] ?? placement?.holdings[0];
  if (!placement || !holding) return <Empty pane="mesh" />;
  return (
    <div class="pane">
      <div class="pane-head wraps">
        <Chooser placement={placement} chosen={holding} onChoose={setChosen} />
        <code>{holding.spec}</code>
      </div>
      <Held mesh={placement.mesh} holding={holding} />
    </div>
  );
}

interface ChooserProps {
  placement: Placement;
  chosen: Holding;
  onChoose: (place: number) => void;
}

function Chooser({ placement: { holdings }, chosen, onChoose }: ChooserProps) {
  return (
    <select
      aria-label="Which array"
      value={holdings.indexOf(chosen)}
      onChange={(event) => onChoose(Number(event.currentTarget.value))}
    >
      {(Object.keys(ROLES) as Holding["role"][]).map((role) => (
        <optgroup key={role} label={ROLES[role]}>
          {holdings.map(
            (holding, place) =>
              holding.role === role && (
                <option key={place} value={place}>
                  {holding.name} {holding.type}
                </option>
              ),
          )}
        </optgroup>
      ))}
    </select>
  );
}

/** What is pointed at in one picture is marked in the others. */
interface Pointed {
  device: number | null;
  onPoint: (device: number | null) => void;
}

function Held({ mesh, holding }: { mesh: Mesh; holding: Holding }) {
  const [device, onPoint] = useState<number | null>(null);
  const parts = partsOf(holding);
  const pointed = { device, onPoint };
  return (
    <div class="pane-body mesh">
      <p class="note">{sentence(mesh, holding, parts)}</p>
      <div class="mesh-pictures">
        <figure>
          <figcaption>Devices</figcaption>
          <Grid mesh={mesh} parts={parts} {...pointed} />
        </figure>
        <figure>
          <figcaption>
            <code>{holding.name}</code>
            {sidesText(holding)}
          </figcaption>
          <Divided holding={holding} {...pointed} />
        </figure>
      </div>
      <Rows mesh={mesh} holding={holding} parts={parts} {...pointed} />
      <MeshTraffic />
    </div>
  );
}

function sentence(mesh: Mesh, holding: Holding, parts: readonly Part[]): string {
  const { copies, device_bytes, bytes: whole } = holding;
  const total = mesh.devices.length;
  if (parts.length === 1)
    return `Each of ${plural(copies, "device")} holds all of it, ${bytes(whole)}.`;
  const each = `Each device holds ${bytes(device_bytes)} of ${bytes(whole)}`;
  const shared = copies > 1 ? `, each part is on ${copies} of ${total} devices.` : ".";
  return each + shared;
}

/** Which dimensions are drawn, where there are more. */
function sidesText(holding: Holding): string {
  const { shape } = holding;
  const sides = sidesOf(holding).filter((side) => side !== null);
  const sizes = sides.map((side) => shape[side]).join(" × ");
  if (shape.length === 0) return ", a number";
  return shape.length > 2 ? `, dimensions ${sides.join(" and ")}: ${sizes}` : `, ${sizes}`;
}

const CELL = 44;
const SIDE = 34;

function Grid({ mesh, parts, device, onPoint }: { mesh: Mesh; parts: readonly Part[] } & Pointed) {
  const { cells, rows, columns } = drawingOf(mesh);
  const partOf = partByDevice(parts);
  const { axes } = mesh;
  const across = axes[axes.length - 1]?.name ?? "";
  const down = axes
    .slice(0, -1)
    .map(({ name }) => name)
    .join(", ");
  const left = down ? SIDE : 0;
  const [width, height] = [left + columns * CELL, SIDE + rows * CELL];
  const sizes = axes.map(({ name, size }) => `${name} ${size}`).join(", ");
  return (
    <svg
      viewBox={`0 0 ${width} ${height}`}
      style={{ width: `${width}px` }}
      role="img"
      aria-label={`A mesh of ${plural(cells.length, "device")}: ${sizes}`}
    >
      <text class="axis" x={left + 2} y={11}>
        {across} →
      </text>
      {down && (
        <text class="axis" transform={`translate(5 ${SIDE + 2}) rotate(90)`}>
          {down} →
        </text>
      )}
      {Array.from({ length: columns }, (_, column) => (
        <text key={column} class="tick" x={left + (column + 0.5) * CELL} y={SIDE - 6}>
          {column}
        </text>
      ))}
      {down &&
        cells
          .filter(({ column }) => column === 0)
          .map(({ row, at }) => (
            <text key={row} class="tick" x={SIDE - 8} y={SIDE + (row + 0.5) * CELL + 4}>
              {at.slice(0, -1).join(",")}
            </text>
          ))}
      {cells.map(({ device: own, row, column }) => (
        <g
          key={own}
          class={classOf(partOf.get(own), own === device)}
          transform={`translate(${left + column * CELL} ${SIDE + row * CELL})`}
          onPointerEnter={() => onPoint(own)}
          onPointerLeave={() => onPoint(null)}
        >
          <rect x={2} y={2} width={CELL - 4} height={CELL - 4} rx={4} />
          <text class="name" x={CELL / 2} y={CELL / 2 + 4}>
            {own}
          </text>
        </g>
      ))}
    </svg>
  );
}

const classOf = (part: Part | undefined, pointed: boolean): string =>
  ["shard", part ? `hue-${part.hue}` : "none", pointed && "pointed"].filter(Boolean).join(" ");

const LONGEST = 300;
const SHORTEST = 64;

function Divided({ holding, device, onPoint }: { holding: Holding } & Pointed) {
  const [down, across] = sidesOf(holding);
  const sizeOf = (side: number | null) => (side === null ? 1 : Math.max(1, holding.shape[side]!));
  const [high, wide] = [sizeOf(down), sizeOf(across)];
  const scale = (LONGEST - SHORTEST) / Math.max(high, wide);
  const [width, height] = [
    SHORTEST + wide * scale,
    down === null ? SHORTEST : SHORTEST + high * scale,
  ];
  const blocks = blocksOf(holding);
  return (
    <svg
      viewBox={`0 0 ${width} ${height}`}
      style={{ width: `${width}px` }}
      role="img"
      aria-label={`${holding.name} in ${plural(blocks.length, "part")}`}
    >
      {blocks.map(({ part, x, y, width: w, height: h }) => (
        <g
          key={part.indices}
          class={classOf(part, device !== null && part.devices.includes(device))}
          transform={`translate(${x * width} ${y * height})`}
          onPointerEnter={() => onPoint(part.devices[0]!)}
          onPointerLeave={() => onPoint(null)}
        >
          <rect x={1} y={1} width={w * width - 2} height={h * height - 2} rx={2} />
          <text class="name" x={(w * width) / 2} y={(h * height) / 2 + 4}>
            {devicesText(part.devices)}
          </text>
        </g>
      ))}
    </svg>
  );
}

interface RowsProps extends Pointed {
  mesh: Mesh;
  holding: Holding;
  parts: readonly Part[];
}

/** The same as a table, for reading, and by the keyboard. */
function Rows({ mesh, holding, parts, device, onPoint }: RowsProps) {
  const partOf = partByDevice(parts);
  return (
    <table class="table" aria-label={`Who holds what of ${holding.name}`}>
      <thead>
        <tr>
          <th scope="col">Device</th>
          {mesh.axes.map(({ name }) => (
            <th key={name} scope="col" class="number">
              {name}
            </th>
          ))}
          <th scope="col">Indices</th>
          <th scope="col" class="number">
            Size
          </th>
        </tr>
      </thead>
      <tbody>
        {drawingOf(mesh).cells.map(({ device: own, at }) => {
          const part = partOf.get(own);
          return (
            <tr key={own} class={own === device ? "lit" : ""}>
              <th scope="row">
                <button
                  class={`row ${part ? `hue-${part.hue}` : ""}`}
                  aria-pressed={own === device}
                  onFocus={() => onPoint(own)}
                  onBlur={() => onPoint(null)}
                  onPointerEnter={() => onPoint(own)}
                  onPointerLeave={() => onPoint(null)}
                >
                  {part && <span class="swatch" aria-hidden="true" />}
                  {own}
                </button>
              </th>
              {at.map((place, axis) => (
                <td key={axis} class="number">
                  {place}
                </td>
              ))}
              <td>
                <code>{part?.indices ?? "nothing"}</code>
              </td>
              <td class="number">{part ? bytes(holding.device_bytes) : "–"}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
