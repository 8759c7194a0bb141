import { describe, expect, it } from "vitest";
import sample from "./fixtures/sample.json";
import type { Report } from "../wire";
import { allTexts, type Shown } from "./artifacts";
import { paired } from "./pairs";

const { stages } = (sample.report as unknown as Report).programs[0]!;
const texts = allTexts(stages);

const changed = (x: Shown, change: Partial<Shown["artifact"]>, key = x.key): Shown => ({
  ...x,
  key,
  artifact: { ...x.artifact, stored: null, ...change },
});

describe("texts of two programs", () => {
  it("are beside those of the same name, and differ in nothing where they are equal", () => {
    const pairs = paired(texts, allTexts(stages));
    expect(pairs.length).toBe(texts.length);
    expect(pairs.every(({ a, b, differ }) => a?.key === b?.key && !differ)).toBe(true);
  });

  it("are beside those of their kind where names differ, and alone where there is none", () => {
    const at = texts.findIndex(({ artifact }) => artifact.kind === "triton");
    const other = texts.with(at, changed(texts[at]!, { text: "other", name: "k9" }, "k9"));
    const pair = paired(texts, other)[at]!;
    expect([pair.b?.key, pair.differ]).toEqual(["k9", true]);
    const alone = paired(texts, texts.toSpliced(at, 1)).find(({ b }) => b === null)!;
    expect([alone.a?.artifact.kind, alone.differ]).toEqual(["triton", true]);
  });
});
