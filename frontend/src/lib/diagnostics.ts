/** What is to be marked in the editor, and on which line. */
import type { Failure, Report } from "../wire";

export type Severity = "error" | "warning" | "info";

export interface Mark {
  line: number;
  severity: Severity;
  message: string;
}

/** Why the run failed. What a program's capture says of the line at which the snippet itself ended is
 * the same fault in other words. */
export function failures({ error, programs }: Report): Failure[] {
  const own = programs.map((program) => program.error).filter((failure) => failure !== null);
  if (error === null) return own;
  return [error, ...own.filter(({ line }) => line === null || line !== error.line)];
}

/** Every complaint of the report that names a line of the snippet. */
export function marks(report: Report): Mark[] {
  const found = [
    ...failures(report).map((failure) => mark(failure.line, "error", sentence(failure))),
    ...report.programs.flatMap((program) =>
      program.graph_breaks.map((b) => mark(b.line, "warning", `Graph break: ${b.reason}`)),
    ),
    ...report.notices.map((notice) => mark(notice.line, notice.level, notice.text)),
  ];
  return unique(found.filter((m) => m !== null));
}

/** The failure's message with its remedy. */
export function sentence(failure: Failure): string {
  return failure.remedy === "" ? failure.message : `${failure.message}\n${failure.remedy}`;
}

function mark(line: number | null, severity: Severity, message: string): Mark | null {
  return line === null ? null : { line, severity, message };
}

function unique(all: readonly Mark[]): Mark[] {
  return [...new Map(all.map((m) => [`${m.line} ${m.message}`, m])).values()];
}
