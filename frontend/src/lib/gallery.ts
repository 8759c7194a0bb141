/** The gallery's examples: by chapter, and those that a search finds. */
import type { Options } from "../wire";
import type { Note } from "./notes";

/** A program to run, with something to look at and something to try. */
export interface Example {
  name: string;
  title: string;
  framework: "torch" | "jax" | "stablehlo";
  source: string;
  /** The heading that it stands under. */
  chapter: string;
  /** Three sentences. */
  says: string;
  /** What to look at, the pane that has it, and what to try. */
  look: string;
  pane: string;
  attempt: string;
  /** What has to be looked into for that to be there. */
  insides: Options["insides"];
}

export interface Chapter {
  title: string;
  examples: readonly Example[];
}

export const FRAMEWORKS: Record<Example["framework"], string> = {
  torch: "PyTorch",
  jax: "JAX",
  stablehlo: "StableHLO",
};

/** Those that come one after the other under one heading, in the order of the gallery. */
export function chapters(examples: readonly Example[]): Chapter[] {
  const titles = [...new Set(examples.map(({ chapter }) => chapter))];
  return titles.map((title) => ({
    title,
    examples: examples.filter(({ chapter }) => chapter === title),
  }));
}

/** Those that have every word of `query` somewhere: in what is said of them, or in their code. */
export function found(examples: readonly Example[], query: string): readonly Example[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  return examples.filter((example) => {
    const text = everything(example).toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

const everything = ({ title, chapter, framework, says, look, attempt, source }: Example): string =>
  [title, chapter, FRAMEWORKS[framework], says, look, attempt, source].join("\n");

/** What stands beside the editor while somebody is at an example. */
export const lessonOf = ({ title, says, look, pane, attempt }: Example): Note => ({
  at: "source",
  title,
  text: says,
  tasks: [
    { name: "Look", text: look, pane },
    { name: "Try", text: attempt },
  ],
});
