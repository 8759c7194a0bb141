/** The way of what is selected through the panes: its line, what was captured there, its values, its
 * kernels, and its line in each text that was looked at. */
import type { Kernel, Program } from "../wire";
import type { Chosen } from "./linemap";
import { repeats } from "./format";

export interface Step {
  text: string;
  /** The pane that shows it. */
  pane: string;
  /** A line of the snippet to go to. */
  line: number | null;
}

/** Where a text has what is selected. */
export interface LitText {
  /** From 1. */
  lines: readonly number[];
  /** Which of them, from 0, was chosen or gone to. */
  at: number;
  /** The plan that it is of; blank of what all plans share. */
  backend: string;
  text: string;
}

/** A pane of texts, by what its tab says. */
export interface TextPane {
  id: string;
  title: string;
}

const MOST_KERNELS = 3;

export function trailOf(
  program: Program,
  kernels: readonly Kernel[],
  selection: Chosen,
  texts: Readonly<Record<string, LitText>>,
  panes: readonly TextPane[],
): Step[] {
  const { nodes, values } = selection;
  if (nodes.size + values.size === 0) return [];
  const captured = program.nodes.filter(({ id }) => nodes.has(id));
  const lines = [...new Set(captured.flatMap(({ line }) => line ?? []))].sort((a, b) => a - b);
  const steps: Step[] = [];
  if (lines.length > 0)
    steps.push({ text: `line ${shortened(lines)}`, pane: "source", line: lines[0]! });
  if (captured.length > 0)
    steps.push({ text: repeats(captured.map(({ op }) => op)), pane: "captured", line: null });
  if (values.size > 0)
    steps.push({ text: named([...values], texts.ir?.text ?? ""), pane: "ir", line: null });
  const ran = kernelsOf(kernels, selection).map(({ id }) => id);
  if (ran.length > 0) steps.push({ text: shortened(ran), pane: "kernels", line: null });
  for (const { id, title } of panes) {
    const { lines: found = [], at = 0 } = texts[id] ?? {};
    if (found.length > 0)
      steps.push({
        text: `${title.toLowerCase()}:${found[at] ?? found[0]}`,
        pane: id,
        line: null,
      });
  }
  return steps;
}

/** Values, each with the operation that an IR's text defines it by, where it is there. */
function named(values: readonly number[], ir: string): string {
  return values
    .map((id) => {
      const name = `%${~id}`;
      const defined = new RegExp(`^\\s*(?:%\\d+, )*${name}(?:, %\\d+)* = ([\\w.]+)`, "m");
      return [name, defined.exec(ir)?.[1]].filter(Boolean).join(" ");
    })
    .join(", ");
}

/** The launches that compute the values; where no value is told, those of the operations. */
function kernelsOf(kernels: readonly Kernel[], { nodes, values }: Chosen): readonly Kernel[] {
  const own = kernels.filter((kernel) => kernel.nodes.some((id) => nodes.has(id)));
  const exact = own.filter((kernel) => kernel.values.some((id) => values.has(~id)));
  return exact.length > 0 ? exact : own;
}

const shortened = (names: readonly (string | number)[]): string =>
  names.slice(0, MOST_KERNELS).join(", ") +
  (names.length > MOST_KERNELS ? `, ${names.length - MOST_KERNELS} more` : "");
