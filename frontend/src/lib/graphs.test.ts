import { describe, expect, it } from "vitest";
import {
  EMPTY_PROGRAM,
  ROOT_GRAPH,
  type Graph,
  type Program,
  type PythonSegment,
  type Stage,
} from "../wire";
import { countOf, linesOf, partsOf, rootOf, graphWithStages, withParts } from "./graphs";

const graph = (id: string, parent: string | null = "whole"): Graph => ({
  ...ROOT_GRAPH,
  id,
  parent,
  name: id,
  role: parent === null ? "whole" : "piece",
});

const python = (after: string | null, text: string): PythonSegment => ({
  bytes: null,
  after,
  first_line: 3,
  last_line: 3,
  text,
  reason: "",
});

const program = (graphs: Graph[], segments: PythonSegment[] = []): Program => ({
  ...EMPTY_PROGRAM,
  graphs,
  python: segments,
});

const names = (of: Program): string[] =>
  partsOf(of).map((part) => (part.kind === "graph" ? part.graph.id : part.segment.text));

const root = graph("whole", null);

describe("the parts of a program", () => {
  it("are none where it is one graph, or none yet", () => {
    expect(names(program([root]))).toEqual([]);
    expect(names(program([]))).toEqual([]);
  });

  it("are its graphs in order with the Python between", () => {
    const segments = [python(null, "first"), python("a", "if"), python("a", "print")];
    const of = program([root, graph("a"), graph("b")], [...segments, python("b", "last")]);
    expect(names(of)).toEqual(["first", "a", "if", "print", "b", "last"]);
  });

  it("put a region after the graph that holds it, and before the Python that follows", () => {
    const of = program([root, graph("a"), graph("b"), graph("body", "a")], [python("a", "if")]);
    expect(names(of)).toEqual(["a", "body", "if", "b"]);
    expect(partsOf(of)[1]).toMatchObject({ depth: 1 });
  });

  it("lose no Python whose graph is not there", () => {
    expect(names(program([root, graph("a")], [python("gone", "x = 1")]))).toEqual(["x = 1", "a"]);
  });

  it("come to an end where a graph says that it is its own part", () => {
    expect(names(program([root, graph("whole", "whole"), graph("a")]))).toEqual(["a"]);
  });
});

describe("a graph with its parts", () => {
  const graphs = [root, graph("a"), graph("body", "a"), graph("inner", "body"), graph("b")];

  it("has all that is within it", () => {
    expect([...withParts(graphs, "a")]).toEqual(["a", "body", "inner"]);
    expect([...withParts(graphs, "b")]).toEqual(["b"]);
  });

  it("is everything for the root", () => {
    expect(withParts(graphs, rootOf(graphs)!.id).size).toBe(graphs.length);
  });
});

describe("what a program consists of", () => {
  const region = (id: string): Graph => ({ ...graph(id), role: "body" });

  it.each([
    [[graph("a"), graph("b")], "2 graphs"],
    [[region("a")], "1 region"],
    [[graph("a"), region("b"), region("c")], "1 graph, 2 regions"],
  ])("is counted without the program itself", (parts, words) =>
    expect(countOf(program([root, ...parts]))).toBe(words),
  );
});

describe("the lines of a segment", () => {
  it.each([
    [{ ...python(null, ""), first_line: 4, last_line: 6 }, "lines 4–6"],
    [{ ...python(null, ""), first_line: 4, last_line: 4 }, "line 4"],
    [{ ...python(null, ""), first_line: null, last_line: null }, ""],
  ])("are said in words", (segment, words) => expect(linesOf(segment)).toBe(words));
});

describe("the stages that show a graph", () => {
  const stage = (of: string): Stage => ({ graph: of }) as unknown as Stage;
  const graphs = [root, graph("a"), graph("body", "a"), graph("inner", "body")];
  const of = { ...program(graphs), stages: [stage("whole"), stage("a")] };

  it.each([
    ["a", "a"],
    ["inner", "a"],
    ["whole", "whole"],
    ["gone", "gone"],
  ])("of %s are those of %s", (id, stages) => expect(graphWithStages(of, id)).toBe(stages));
});
