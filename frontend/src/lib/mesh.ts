/** A mesh of devices and the parts of an array that they hold, as they are drawn. */
import type { Holding, Mesh, Placement, Row, Shard, Stage } from "../wire";

/** Where a program's arrays are, with the stage that says so. */
export const placementsOf = (stages: readonly Stage[]): Placement[] =>
  stages.map(({ placement }) => placement).filter((placement) => placement !== null);

/** A device in the grid: the last axis of the mesh runs along a row, the others down the rows. */
export interface Cell {
  device: number;
  row: number;
  column: number;
  /** Its place on each axis. */
  at: readonly number[];
}

export interface Drawing {
  cells: readonly Cell[];
  columns: number;
  rows: number;
}

export function drawingOf({ axes, devices }: Mesh): Drawing {
  const columns = axes[axes.length - 1]?.size ?? 1;
  const cells = devices.map((device, index) => ({
    device,
    row: Math.floor(index / columns),
    column: index % columns,
    at: placeOf(index, axes),
  }));
  return { cells, columns, rows: Math.ceil(devices.length / columns) };
}

function placeOf(index: number, axes: Mesh["axes"]): number[] {
  const at: number[] = [];
  let rest = index;
  for (const { size } of [...axes].reverse()) {
    at.unshift(rest % size);
    rest = Math.floor(rest / size);
  }
  return at;
}

/** 0:8, 0:16; "all" of a number that has no dimensions. */
export const indicesOf = ({ begin, end }: Shard): string =>
  begin.map((from, dimension) => `${from}:${end[dimension]}`).join(", ") || "all";

/** A part of an array, and the devices that hold it: in hue `hue`, the same in all pictures. */
export interface Part {
  hue: number;
  indices: string;
  devices: readonly number[];
  shard: Shard;
}

/** The different parts of an array, in the order of the devices. */
export function partsOf({ shards }: Holding): Part[] {
  const found = new Map<string, Part & { devices: number[] }>();
  for (const shard of [...shards].sort((a, b) => a.device - b.device)) {
    const indices = indicesOf(shard);
    const part = found.get(indices) ?? { hue: found.size % 8, indices, devices: [], shard };
    part.devices.push(shard.device);
    found.set(indices, part);
  }
  return [...found.values()];
}

/** The part that each device holds. */
export const partByDevice = (parts: readonly Part[]): ReadonlyMap<number, Part> =>
  new Map(parts.flatMap((part) => part.devices.map((device) => [device, part] as const)));

/** 0, 1, 4–7 */
export function devicesText(devices: readonly number[]): string {
  const runs: [number, number][] = [];
  for (const device of devices) {
    const last = runs[runs.length - 1];
    if (last && last[1] === device - 1) last[1] = device;
    else runs.push([device, device]);
  }
  return runs
    .map(([from, to]) => (from === to ? `${from}` : `${from}${to > from + 1 ? "–" : ", "}${to}`))
    .join(", ");
}

/** The two dimensions of an array that are drawn, down and across: those that are divided, else the
 * last; null where there are fewer. */
export function sidesOf({ shape, shard_shape }: Holding): [number | null, number | null] {
  const all = shape.map((_, dimension) => dimension);
  const divided = all.filter((dimension) => shape[dimension] !== shard_shape[dimension]);
  const rest = all.filter((dimension) => !divided.includes(dimension)).reverse();
  const [down, across] = [...divided, ...rest].slice(0, 2).sort((a, b) => a - b);
  return down === undefined ? [null, null] : across === undefined ? [null, down] : [down, across];
}

/** A part as a rectangle of an array that is 1 wide and 1 high. */
export interface Block {
  part: Part;
  x: number;
  y: number;
  width: number;
  height: number;
}

export function blocksOf(holding: Holding): Block[] {
  const [down, across] = sidesOf(holding);
  const span = ({ begin, end }: Shard, side: number | null): [number, number] => {
    const size = side === null ? 0 : holding.shape[side]!;
    return size === 0 ? [0, 1] : [begin[side!]! / size, (end[side!]! - begin[side!]!) / size];
  };
  return partsOf(holding).map((part) => {
    const [[y, height], [x, width]] = [span(part.shard, down), span(part.shard, across)];
    return { part, x, y, width, height };
  });
}

/** One collective of a call; `sent` are the bytes that each device sends at least, where known. */
export interface Sent {
  kind: string;
  over: string;
  sent: number | null;
  why: string;
  row: Row;
}

/** What devices send each other, in the module's order; null where nothing says so. */
export function trafficOf(stages: readonly Stage[]): Sent[] | null {
  const partitioned = stages.find(
    ({ name, compiler }) => compiler === "sharding" && name === "partitioned",
  );
  if (!partitioned) return null;
  const table = partitioned.tables.find(({ name }) => name === "collectives");
  return (table?.rows ?? []).map((row) => {
    const cell = (title: string) =>
      row.cells[table!.columns.findIndex((column) => column.title === title)] ?? null;
    const text = (title: string) => String(cell(title) ?? "");
    const sent = cell("sent");
    return {
      kind: text("collective"),
      over: text("over"),
      sent: typeof sent === "number" ? sent : null,
      why: text("why") || text("asked for"),
      row,
    };
  });
}
