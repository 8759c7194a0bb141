import { describe, expect, it } from "vitest";
import { complaint } from "./api";

describe("an answer that says no", () => {
  it("becomes its sentence and remedy", () => {
    const body =
      '{"error":{"message":"The source is empty.","remedy":"Paste one.","input":"source"}}';
    expect(complaint(body, { status: 422 })).toBe("The source is empty. Paste one.");
  });

  it("has at least its status", () => {
    expect(complaint("<html>", { status: 502 })).toContain("502");
  });
});
