import { EditorState, Text } from "@codemirror/state";
import { expect, test } from "vitest";
import { PYTHON, spoken, spokenIn, STABLEHLO } from "./spoken";

const MODULE = "// mine\nmodule @m {\n}\n";
const state = (text: string) =>
  EditorState.create({ doc: text, extensions: spoken(Text.of(text.split("\n"))) });

test("the language is that of the text", () => {
  expect(spokenIn(state("import torch\n"))).toBe(PYTHON);
  expect(spokenIn(state(MODULE))).toBe(STABLEHLO);
});

test("another text brings its language, and writing on keeps it", () => {
  const pasted = state("import torch\n").update({ changes: { from: 0, to: 13, insert: MODULE } });
  expect(spokenIn(pasted.state)).toBe(STABLEHLO);
  const longer = pasted.state.update({ changes: { from: 0, insert: "// more\n" } });
  expect(spokenIn(longer.state)).toBe(STABLEHLO);
  const back = longer.state.update({
    changes: { from: 0, to: longer.state.doc.length, insert: "x" },
  });
  expect(spokenIn(back.state)).toBe(PYTHON);
});
