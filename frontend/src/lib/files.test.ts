import { expect, test } from "vitest";
import { contentOf, fileNameOf, sizeOf, sourceName } from "./files";
import type { Artifact } from "../wire";

const text: Artifact = {
  name: "output code",
  kind: "output",
  language: "python",
  text: "x = 1\n",
  nodes: [],
  kernel: null,
  stored: null,
};
const file: Artifact = { ...text, name: "Net.pt2", language: "base64", text: "UEsDBA==" };

test("a text is called after its stage and itself, with the ending of its language", () => {
  expect(fileNameOf(text, "C++, graph 1")).toBe("C++-graph-1-output-code.py");
  expect(fileNameOf({ ...text, name: "wrapper.cpp" }, "AOTInductor")).toBe("wrapper.cpp");
});

test("a snippet is a file of Python, or of MLIR where it is StableHLO", () => {
  expect(sourceName("f", "import torch\n")).toBe("f.py");
  expect(sourceName("main", "func.func @main() {\n")).toBe("main.mlir");
});

test("a file keeps its name and holds its bytes", () => {
  expect(fileNameOf(file, "saved")).toBe("Net.pt2");
  expect([...(contentOf(file) as Uint8Array)]).toEqual([80, 75, 3, 4]);
  expect(contentOf(text)).toBe("x = 1\n");
});

test("what should be base64 and is not has no content", () => {
  expect(contentOf({ ...file, text: "Left out: too much.\n" })).toBeNull();
});

test("the size is that of the bytes, not of their base64", () => {
  expect(sizeOf({ ...file, stored: { sha256: "", bytes: 1200, lines: 1, spans: [] } })).toBe(900);
});
