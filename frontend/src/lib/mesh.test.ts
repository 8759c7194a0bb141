import { expect, test } from "vitest";
import type { Holding, Mesh } from "../wire";
import {
  blocksOf,
  devicesText,
  drawingOf,
  indicesOf,
  partByDevice,
  partsOf,
  sidesOf,
} from "./mesh";

const axis = (name: string, size: number) => ({ name, size });
const MESH: Mesh = { axes: [axis("data", 2), axis("model", 2)], devices: [0, 1, 2, 3] };

const shard = (device: number, ...ranges: [number, number][]) => ({
  device,
  begin: ranges.map(([from]) => from),
  end: ranges.map(([, to]) => to),
});

const holding = (change: Partial<Holding>): Holding => ({
  name: "x",
  role: "argument",
  type: "f32[8,4]",
  shape: [8, 4],
  spec: "P('data', None)",
  shard_shape: [4, 4],
  bytes: 128,
  device_bytes: 64,
  copies: 2,
  shards: [
    shard(3, [4, 8], [0, 4]),
    shard(0, [0, 4], [0, 4]),
    shard(1, [0, 4], [0, 4]),
    shard(2, [4, 8], [0, 4]),
  ],
  ...change,
});

test("the last axis runs along a row, the others down", () => {
  const { cells, rows, columns } = drawingOf(MESH);
  expect([rows, columns]).toEqual([2, 2]);
  expect(cells[2]).toEqual({ device: 2, row: 1, column: 0, at: [1, 0] });
  const three = drawingOf({
    axes: [axis("x", 2), ...MESH.axes],
    devices: [0, 1, 2, 3, 4, 5, 6, 7],
  });
  expect([three.rows, three.columns]).toEqual([4, 2]);
  expect(three.cells[5]!.at).toEqual([1, 0, 1]);
});

test("devices that hold the same indices hold one part", () => {
  const parts = partsOf(holding({}));
  expect(parts.map(({ indices, devices, hue }) => [indices, devices, hue])).toEqual([
    ["0:4, 0:4", [0, 1], 0],
    ["4:8, 0:4", [2, 3], 1],
  ]);
  expect(partByDevice(parts).get(3)!.hue).toBe(1);
});

test("a number is held in all", () => {
  expect(indicesOf(shard(0))).toBe("all");
  const scalar = holding({ shape: [], shard_shape: [], shards: [shard(0), shard(1)] });
  expect(blocksOf(scalar)).toMatchObject([{ x: 0, y: 0, width: 1, height: 1 }]);
});

test("blocks are where the indices are", () => {
  expect(blocksOf(holding({}))).toMatchObject([
    { x: 0, y: 0, width: 1, height: 0.5 },
    { x: 0, y: 0.5, width: 1, height: 0.5 },
  ]);
});

test("the dimensions that are divided are drawn, else the last two", () => {
  const of = (shape: number[], shard_shape: number[]) => sidesOf(holding({ shape, shard_shape }));
  expect(of([2, 8, 4], [1, 8, 4])).toEqual([0, 2]);
  expect(of([2, 8, 4], [2, 8, 4])).toEqual([1, 2]);
  expect(of([2, 8, 4], [1, 4, 4])).toEqual([0, 1]);
  expect(of([8], [4])).toEqual([null, 0]);
  expect(of([], [])).toEqual([null, null]);
});

test("numbers of devices in a row are a range", () => {
  expect(devicesText([0, 1, 2, 3])).toBe("0–3");
  expect(devicesText([0, 1, 4, 6, 7])).toBe("0, 1, 4, 6, 7");
});
