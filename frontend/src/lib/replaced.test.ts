import { expect, test } from "vitest";
import { isReplaced } from "./replaced";

const TEXT = "import torch\n\ndef f(x):\n    y = x + 1\n    return y.relu()\n";

test.each([
  ["the same", TEXT, false],
  ["a line changed", TEXT.replace("+ 1", "+ 2"), false],
  ["one more line", `${TEXT}z = 1\n`, false],
  ["other lines", "A = 1\n", true],
  ["another program with the same import", "import torch\n\ndef g(a):\n    return a\n", true],
  ["nothing", "", true],
])("%s", (_, now, expected) => {
  expect(isReplaced(TEXT, now)).toBe(expected);
});
