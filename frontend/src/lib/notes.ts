/** What a person is told beside the panes: what to look at in an example. */
import type { Program, Report } from "../wire";
import { bytes, dayOf, plural } from "./format";

/** Where an example's note stands: above the panes, or where they are tabs below the text. */
export const LESSON = "lesson";

export interface Note {
  /** Where it stands: in a pane, below the verdict, or above all panes. */
  at: string;
  title: string;
  text: string;
  /** What to do with it, where it stays while the text is changed. */
  tasks?: readonly Task[];
  /** The name of the example that it is about. */
  example?: string;
}

export interface Task {
  name: string;
  text: string;
  sight?: Sight;
}

/** Where there is something to look at: a pane, and what is chosen so that it is seen there. */
export interface Sight {
  pane: string;
  /** The name of a stage, "" for none. */
  stage: string;
  /** A line of the snippet, from 1. */
  line: number | null;
}

/** The notes of the example that the front page opens on, which was run at `finished`. */
export function firstNotes({ programs, device }: Report, finished: Date | null): Note[] {
  const [program] = programs;
  if (!program) return [];
  return [
    { at: "verdict", title: "What fusing is worth", text: worth(program, device.name, finished) },
    {
      at: "source",
      title: "One line, everywhere",
      text:
        "The lit line is chosen, and what became of it is lit in every pane: click any other line, " +
        "here or there. Then paste a function of your own and press Run.",
    },
    { at: "triton", title: "What runs", text: runs(program) },
  ];
}

function worth({ summary }: Program, device: string, finished: Date | null): string {
  const { launches_eager, launches_core, bytes_eager, bytes_core } = summary;
  return (
    `Eager makes ${plural(launches_eager, "launch")} and moves ${bytes(bytes_eager)} through memory; ` +
    `fused, it is ${launches_core} and ${bytes(bytes_core)}. The times are those of ` +
    `${device || "the machine it ran on"}${finished ? `, ${dayOf(finished)}` : ""}.`
  );
}

function runs({ nodes, kernels, backend }: Program): string {
  const own = kernels.filter((kernel) => kernel.backend === backend);
  return (
    `${plural(nodes.length, "captured operation")} became ${plural(own.length, "kernel")}; the lit lines compute ` +
    "the chosen one. Its C and PTX are behind the next tabs, and under Stages is what each pass changed."
  );
}
