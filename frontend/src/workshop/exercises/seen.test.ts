import { expect, test } from "vitest";
import { inCommon } from "./seen";

const seen = (...all: string[]) =>
  all.map((says, at) => ({ wants: `${at}`, says, passed: false, pending: false }));

test("what all checks saw is said once", () => {
  expect(inCommon(seen("It failed.", "It failed."))).toBe("It failed.");
});

test.each([[[]], [["2 kernels."]], [["2 kernels.", "It failed."]]])(
  "what one of them saw is said beside it: %j",
  (all) => {
    expect(inCommon(seen(...all))).toBe("");
  },
);
