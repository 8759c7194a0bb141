import { describe, expect, it } from "vitest";
import { atOnce, inTasks, type Steps } from "./steps";

describe("things that are made in steps", () => {
  const kept: string[] = [];
  function* making(): Steps<string> {
    let isWhole = false;
    try {
      yield null;
      yield "a";
      yield "b";
      isWhole = true;
    } finally {
      kept.push(isWhole ? "whole" : "given up");
    }
  }

  it("are all there at once where nobody waits", () => {
    expect(atOnce(making())).toEqual(["a", "b"]);
  });

  it("let others have their turn between the steps", async () => {
    const turns: string[] = [];
    const other = setInterval(() => turns.push("other"), 0);
    const made = await inTasks(making(), () => true);
    clearInterval(other);
    expect(made).toEqual(["a", "b"]);
    expect(turns.length).toBeGreaterThanOrEqual(2);
  });

  it("are given up, with what was made, as soon as nobody wants them", async () => {
    kept.length = 0;
    let asked = 0;
    expect(await inTasks(making(), () => ++asked < 3)).toBeNull();
    expect(kept).toEqual(["given up"]);
  });
});
