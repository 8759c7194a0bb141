import { describe, expect, it } from "vitest";
import { EMPTY_REPORT, type Failure, type Program } from "../wire";
import { failures, marks } from "./diagnostics";

describe("failures", () => {
  const at = (line: number | null): Failure => ({
    stage: "capture",
    message: `at ${line}`,
    line,
    remedy: "",
    traceback: "",
    by_service: false,
  });
  const program = (error: Failure) => ({ error }) as Program;

  it("tell a line once that the snippet and the program's capture both end at", () => {
    const programs = [program(at(4)), program(at(7)), program(at(null))];
    const found = failures({ ...EMPTY_REPORT, error: at(4), programs });
    expect(found.map(({ message }) => message)).toEqual(["at 4", "at 7", "at null"]);
  });
});

describe("marks in the editor", () => {
  const error: Failure = {
    stage: "run",
    message: "no",
    line: 4,
    remedy: "do",
    traceback: "",
    by_service: false,
  };

  it("have the message with its remedy", () => {
    expect(marks({ ...EMPTY_REPORT, error })).toEqual([
      { line: 4, severity: "error", message: "no\ndo" },
    ]);
  });

  it("leave out what has no line, and say nothing twice", () => {
    const notices = [
      { level: "info" as const, text: "a", line: null, by_service: false },
      { level: "info" as const, text: "b", line: 2, by_service: false },
      { level: "info" as const, text: "b", line: 2, by_service: false },
    ];
    expect(marks({ ...EMPTY_REPORT, notices })).toHaveLength(1);
  });
});
