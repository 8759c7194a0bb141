import { expect, test } from "vitest";
import { titleOfSource } from "./title";

test("a text is called by what it defines, else by its first line that does something", () => {
  const defines = "import torch\n\nclass Net:\n    def forward(self): ...\n\ndef f(x): ...\n";
  expect(titleOfSource(defines)).toBe("Net, f");
  expect(titleOfSource("# a\nimport torch\ny = 1\n")).toBe("y = 1");
  expect(titleOfSource("\n")).toBe("A snippet");
});
