import { describe, expect, it } from "vitest";
import { EMPTY_REPORT, type Failure } from "../wire";
import { marks } from "./diagnostics";

describe("marks in the editor", () => {
  const error: Failure = { stage: "run", message: "no", line: 4, remedy: "do", traceback: "" };

  it("have the message with its remedy", () => {
    expect(marks({ ...EMPTY_REPORT, error })).toEqual([
      { line: 4, severity: "error", message: "no\ndo" },
    ]);
  });

  it("leave out what has no line, and say nothing twice", () => {
    const notices = [
      { level: "info" as const, text: "a", line: null },
      { level: "info" as const, text: "b", line: 2 },
      { level: "info" as const, text: "b", line: 2 },
    ];
    expect(marks({ ...EMPTY_REPORT, notices })).toHaveLength(1);
  });
});
