import { describe, expect, it } from "vitest";
import { bytesOf, parseIr } from "./irtext";

const TEXT = `graph f[B = 32 in 2.., T = 8 in 4..64 by 4](%0: f32[B,1024], %1: f32[1024]) {
  %2 = broadcast_in_dim(%1) {dimensions = (1)} : f32[B,1024]
  %3 = add(%0, %2) : f32[B,1024]
  %4, %5 = while(%3, %0) cond(%6: f32[B,1024], %7: f32[B,1024]) {
    %8 = constant() {value = True} : bool[]
    return %8
  } body(%9: f32[B,1024], %10: f32[B,1024]) {
    %11 = reduce(%9) {monoid = add, dimensions = (1)} : f32[B]
    return %9, %10
  } : f32[B,1024], f32[B,1024]
  return %4
}
`;
const MAP = [[], [0], [1], [2], [3], [], [2], [4], [], [2], [], []];

describe("the IR's text", () => {
  const graph = parseIr(TEXT, MAP)!;

  it("is read as operations with what they read, their types and origins", () => {
    expect(graph.name).toBe("f");
    expect(graph.inputs.map(({ type }) => type)).toEqual(["f32[B,1024]", "f32[1024]"]);
    expect(graph.operations.map(({ op, operands, nodes }) => [op, operands, nodes])).toEqual([
      ["broadcast_in_dim", [1], [0]],
      ["add", [0, 2], [1]],
      ["while", [3, 0], [2]],
    ]);
    expect(graph.operations[1]!.results).toEqual([{ id: 3, type: "f32[B,1024]" }]);
    expect(graph.operations[0]!.attributes.get("dimensions")).toBe("(1)");
    expect(graph.returned).toEqual([4]);
  });

  it("has regions, whose operations are their own", () => {
    const loop = graph.operations[2]!;
    expect(loop.results.map(({ id, type }) => [id, type])).toEqual([
      [4, "f32[B,1024]"],
      [5, "f32[B,1024]"],
    ]);
    expect(loop.regions.map(({ name }) => name)).toEqual(["cond", "body"]);
    const [condition, body] = loop.regions as [(typeof loop.regions)[0], (typeof loop.regions)[0]];
    expect(condition.operations[0]!.attributes.get("value")).toBe("True");
    expect(body.operations[0]).toMatchObject({ op: "reduce", operands: [9], line: 8 });
    expect(body.returned).toEqual([9, 10]);
  });

  it("says what symbolic sizes are taken to be", () =>
    expect([...graph.hints]).toEqual([
      ["B", 32],
      ["T", 8],
    ]));

  it("is none where it is another language", () => expect(parseIr("%0 = add(x, y)")).toBeNull());
});

describe("bytes of a type", () => {
  const hints = new Map([["B", 32]]);
  it.each([
    ["f32[4096,1024]", 16777216],
    ["bool[8]", 8],
    ["i64[]", 8],
    ["bf16[B,4]", 256],
    ["f32[4*B]", 512],
    ["f32[B//4]", null],
    ["f32[Q]", null],
  ])("of %s are %s", (type, bytes) => expect(bytesOf(type, hints)).toBe(bytes));
});
