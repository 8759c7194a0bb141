import { describe, expect, it } from "vitest";
import type { Artifact, Stage } from "../wire";
import { steady } from "./names";
import { lineCount } from "./stages";

const graph = (...lines: string[]) => lines.join("\n");

const ir = (name: string, text: string) => ({ name, kind: "ir", text }) as unknown as Artifact;

const pass = (before: string, after: string): Stage =>
  ({
    name: "pass",
    artifacts: [ir("before", before), ir("after", after)],
    rewrites: [{ rule: "r", law: "", before: "%1", after: "%9", nodes: [] }],
  }) as unknown as Stage;

const FIRST = graph("%1 = exp(%0)", "%2 = multiply(%1, 1)", "%3 = tanh(%2)", "return %3");
const SECOND = graph("%1 = exp(%0)", "%9 = tanh(%1)", "return %9");
const THIRD = graph("%1 = exp(%0)", "%12 = negate(%1)", "%13 = tanh(%12)", "return %13");

const shown = (stage: Stage) => stage.artifacts.map((artifact) => artifact.text);

describe("steady names", () => {
  it("show what a pass did and nothing else", () => {
    const [stage] = steady([pass(FIRST, SECOND)]);
    expect(shown(stage!)[1]).toBe(graph("%1 = exp(%0)", "%3 = tanh(%1)", "return %3"));
    expect(lineCount(stage!)).toEqual({ added: 1, removed: 2 });
  });

  it("go on from pass to pass", () => {
    const [one, two] = steady([pass(FIRST, SECOND), pass(SECOND, THIRD)]);
    expect(shown(two!)[0]).toBe(shown(one!)[1]);
    expect(shown(two!)[1]).toContain("%3 = tanh(%12)");
  });

  it("are those of the rewrites too", () => {
    const [stage] = steady([pass(FIRST, SECOND)]);
    expect(stage!.rewrites[0]).toMatchObject({ before: "%1", after: "%3" });
  });

  it("never stand for two values", () => {
    const swapped = graph("%3 = sqrt(%0)", "%1 = exp(%3)", "%4 = tanh(%1)", "return %4");
    const [stage] = steady([pass(graph("%3 = exp(%0)", "%4 = tanh(%3)", "return %4"), swapped)]);
    const names = shown(stage!)[1]!.match(/%\w+(?= =)/g)!;
    expect(new Set(names).size).toBe(names.length);
  });

  it("leave a text alone that is not compared", () => {
    const capture = { name: "capture", artifacts: [ir("ir", FIRST)], rewrites: [] };
    expect(steady([capture as unknown as Stage])[0]).toBe(capture);
  });
});
