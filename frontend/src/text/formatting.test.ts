import { EditorState } from "@codemirror/state";
import { expect, test } from "vitest";
import { difference } from "./formatting";

test("what differs makes one text of the other and leaves the rest alone", () => {
  for (const [before, after] of [
    ["x=1\ny = 2\n", "x = 1\ny = 2\n"],
    ["aa", "aaa"],
    ["", "x\n"],
    ["x\n", ""],
  ] as const) {
    const state = EditorState.create({ doc: before });
    const changes = difference(before, after)!;
    expect(state.update({ changes }).state.doc.toString()).toBe(after);
  }
  expect(difference("x=1\ny = 2\n", "x = 1\ny = 2\n")).toEqual({ from: 1, to: 2, insert: " = " });
  expect(difference("same", "same")).toBe(null);
});
