import { expect, it } from "vitest";
import { beside, chapters, found, type Example } from "./gallery";

const example = (name: string, chapter: string, says: string): Example => ({
  name,
  title: name,
  framework: "torch",
  source: `def ${name}(x): ...`,
  chapter,
  says,
  look: "",
  pane: "ir",
  attempt: "",
  stage: "",
  line: null,
  insides: [],
});

const ALL = [
  example("gelu", "Eager", "A chain."),
  example("print", "Capture", "A break."),
  example("item", "Capture", "A value."),
];

it("has the chapters in the order of the gallery, each once", () => {
  expect(chapters(ALL).map(({ title, examples }) => [title, examples.length])).toEqual([
    ["Eager", 1],
    ["Capture", 2],
  ]);
});

it("finds what has all words, wherever they stand", () => {
  const names = (query: string) => found(ALL, query).map(({ name }) => name);
  expect(names("capture BREAK")).toEqual(["print"]);
  expect(names("def item")).toEqual(["item"]);
  expect(names("  ")).toHaveLength(3);
  expect(names("nothing")).toEqual([]);
});

it("knows what comes before and after an example, and that the last has none after it", () => {
  const names = (name: string) => {
    const { before, after } = beside(ALL, name);
    return [before?.name, after?.name];
  };
  expect(names("gelu")).toEqual([undefined, "print"]);
  expect(names("print")).toEqual(["gelu", "item"]);
  expect(names("item")).toEqual(["print", undefined]);
  expect(names("gone")).toEqual([undefined, undefined]);
});
