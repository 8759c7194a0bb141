import { expect, test } from "vitest";
import type { Report } from "../wire";
import { EMPTY_PROGRAM, EMPTY_REPORT } from "../wire";
import sample from "./fixtures/sample.json";
import { markdownOf } from "./markdown";

const REPORT = sample.report as unknown as Report;
const LINK = "http://host/r/abc";

test("a run is its link, its verdict, its tables, its snippet and its versions", () => {
  const text = markdownOf(REPORT, REPORT.snippet.source, LINK);
  expect(text).toContain(`](${LINK})`);
  expect(text).toContain("### `block` (PyTorch)");
  expect(text).toMatch(/eager 4\.36\u00a0ms; core/);
  expect(text).toContain("6 → 3 launches · 18.0\u00a0MiB → 8.01\u00a0MiB");
  expect(text).toContain("<summary>Kernels (3)</summary>");
  expect(text).toContain('```python\n"""Layer norm');
  expect(text).toMatch(/torch \d+\.\d+/);
  expect(text).not.toContain("measure: true");
});

test("what a snippet says is not taken for markup", () => {
  const evil = "a|b <img src=x> @everyone `x` [l](u)";
  const error = {
    stage: "capture",
    message: evil,
    line: 3,
    remedy: "",
    traceback: "",
    by_service: false,
  };
  const program = { ...EMPTY_PROGRAM, name: "f", error };
  const text = markdownOf({ ...EMPTY_REPORT, programs: [program] }, "s = '```'\n", LINK);
  expect(text).toContain("a\\|b \\<img src=x\\> @\u200beveryone \\`x\\` \\[l\\](u)");
  expect(text).toContain("````python\ns = '```'\n````");
});

test("a snippet of StableHLO is no Python", () => {
  const text = markdownOf(EMPTY_REPORT, "module @m {\n}\n", LINK);
  expect(text).toContain("```mlir\nmodule @m {\n}\n```");
});
