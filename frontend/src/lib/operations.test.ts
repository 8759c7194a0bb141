import { expect, it } from "vitest";
import { meaningOf } from "./operations";

it("operations are known by their longest beginning, in the language of the text", () => {
  expect(meaningOf("ptx", "ld.global.v4.b32")?.name).toBe("ld");
  expect(meaningOf("mlir", "stablehlo.dot_general")?.name).toBe("dot_general");
  expect(meaningOf("python", "tl.sum")?.says).toContain("sum");
  expect(meaningOf("python", "x.sum")).toBeNull();
  expect(meaningOf("c", "add")).toBeNull();
});
