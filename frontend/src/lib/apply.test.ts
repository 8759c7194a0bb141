import { describe, expect, it } from "vitest";
import { EMPTY_REPORT, type Event, type Report } from "../wire";
import sample from "./fixtures/sample.json";
import { apply } from "./apply";

const events = sample.events as unknown as Event[];

describe("apply", () => {
  it("applies the events of a run to the report that Python makes of them", () => {
    expect(events.reduce(apply, EMPTY_REPORT)).toEqual(sample.report as unknown as Report);
  });

  it("changes nothing that it was given", () => {
    const before = structuredClone(EMPTY_REPORT);
    events.reduce(apply, EMPTY_REPORT);
    expect(EMPTY_REPORT).toEqual(before);
  });

  it("refuses a stage of a program that was not announced", () => {
    const stage = events.find((event) => event.type === "stage_done")!;
    expect(() => apply(EMPTY_REPORT, stage)).toThrow("program 0 was not announced");
  });

  it("refuses programs announced out of order", () => {
    const found = events.find((event) => event.type === "program_found")!;
    expect(() => apply(EMPTY_REPORT, { ...found, program: 3 } as Event)).toThrow("out of order");
  });
});
