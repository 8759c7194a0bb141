/** The gallery's examples: by chapter, and those that a search finds. */
import type { Options } from "../wire";
import { LESSON, type Note } from "./notes";

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
  /** The stage, and the line of the snippet from 1, that are chosen when it has been run. */
  stage: string;
  line: number | null;
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
export const lessonOf = ({
  name,
  title,
  says,
  look,
  pane,
  stage,
  line,
  attempt,
}: Example): Note => ({
  at: LESSON,
  title,
  text: says,
  example: name,
  tasks: [
    { name: "Look", text: look, sight: { pane, stage, line } },
    { name: "Try", text: attempt },
  ],
});

/** The examples before and after the one of a name, in the order in which they teach. */
export function beside(
  examples: readonly Example[],
  name: string,
): { before: Example | undefined; after: Example | undefined } {
  const at = examples.findIndex((example) => example.name === name);
  return { before: examples[at - 1], after: at < 0 ? undefined : examples[at + 1] };
}
