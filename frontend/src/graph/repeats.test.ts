import { describe, expect, it } from "vitest";
import { bytes } from "../lib/format";
import type { Box, Drawing, Hull, Line } from "./parts";
import { equalOnce } from "./repeats";

const hull = (id: string, size: string): Hull => ({
  id,
  label: `${id} · row · ${size}`,
  title: id,
  hue: 0,
  nodes: [Number(id.slice(1))],
  name: "row",
  parent: null,
  isFrame: false,
  times: 1,
});

const box = (hull: string, label: string): Box => ({
  id: `${hull}/${label}`,
  kind: "operation",
  label,
  detail: "f32[8]",
  hull,
  nodes: [Number(hull.slice(1))],
  value: null,
  isAgain: false,
  hue: null,
});

const line = (from: string, to: string): Line => ({
  id: `${from}→${to}`,
  from,
  to,
  bytes: 32,
  through: [],
  reasons: [],
  isApart: false,
});

// An embedding, three blocks of two kernels, a head that reads the last.
const hulls = [
  hull("k0", "1 KiB"),
  ...["k1", "k2", "k3", "k4", "k5", "k6"].map((id, at) => hull(id, at % 2 ? "2 KiB" : "3 KiB")),
  hull("k7", "4 KiB"),
];
const boxes = hulls.map(({ id }, at) => box(id, at % 2 ? "dot" : "add"));
const ids = boxes.map(({ id }) => id);
const drawing: Drawing = {
  hulls,
  boxes,
  lines: ids.slice(1).map((id, at) => line(ids[at]!, id)),
};

describe("equal blocks", () => {
  const once = equalOnce(drawing);

  it("are drawn once, in a frame that says how often", () => {
    expect(once.hulls.map(({ id, label, parent }) => [id, label, parent])).toEqual([
      ["k0", "k0 · row · 1 KiB", null],
      ["frame/0", "× 3", null],
      ["k1", "k1 · row · 3 KiB", "frame/0"],
      ["k2", "k2 · row · 2 KiB", "frame/0"],
      ["k7", "k7 · row · 4 KiB", null],
    ]);
    expect(once.boxes.map(({ id }) => id)).toEqual(["k0/add", "k1/dot", "k2/add", "k7/dot"]);
  });

  it("stand for the operations of all of them", () => {
    expect(once.boxes.find(({ id }) => id === "k1/dot")?.nodes).toEqual([1, 3, 5]);
    expect(once.hulls[1]!.nodes).toEqual([1, 2, 3, 4, 5, 6]);
  });

  it("are entered by the first and left by the last", () =>
    expect(once.lines.map(({ id }) => id)).toEqual([
      "k0/add→k1/dot",
      "k1/dot→k2/add",
      "k2/add→k7/dot",
    ]));

  it("are the first block's, whichever of them the operations begin with", () => {
    const backwards = equalOnce({ ...drawing, boxes: [...boxes].reverse() });
    expect(new Set(backwards.boxes.map(({ id }) => id))).toEqual(
      new Set(once.boxes.map(({ id }) => id)),
    );
  });

  it("are equal whatever the last of them moves, which the frame says", () => {
    const moving = (each: Hull, moved: number): Hull => ({
      ...each,
      label: `${each.id} · row · ${bytes(moved)}`,
      moved,
    });
    const sized = hulls.map((each, at) => moving(each, at % 2 ? 3072 : 2048));
    const ends = boxes.map((each) =>
      /k[07]/.test(each.id) ? { ...each, detail: "f32[9]" } : each,
    );
    const moved = sized.with(6, moving(hulls[6]!, 1024));
    const found = equalOnce({ ...drawing, hulls: moved, boxes: ends });
    const frame = found.hulls.find(({ isFrame }) => isFrame)!;
    expect(frame.label).toBe(`× 3 · block 3 moves ${bytes(1024)} less`);
    expect(frame.title).toContain(`block 3 moves ${bytes(1024)} less`);
    expect(found.hulls.map(({ id }) => id)).toEqual(once.hulls.map(({ id }) => id));
  });

  it("leave a drawing as it is that has none", () => {
    const two = { ...drawing, hulls: hulls.slice(0, 3) };
    expect(equalOnce(two)).toBe(two);
  });
});
