/** What is to be marked in the editor, and on which line. */
import type { Failure, Report } from "../wire";

export type Severity = "error" | "warning" | "info";

export interface Mark {
  line: number;
  severity: Severity;
  message: string;
}

/** Every complaint of the report that names a line of the snippet. */
export function marks(report: Report): Mark[] {
  const failures = [report.error, ...report.programs.map((program) => program.error)];
  const found = [
    ...failures.map((failure) => failure && mark(failure.line, "error", sentence(failure))),
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
