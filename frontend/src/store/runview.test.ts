import { describe, expect, it, vi } from "vitest";
import sample from "../lib/fixtures/sample.json";
import type { Run } from "../net/api";
import { DEFAULT_OPTIONS, EMPTY_REPORT, type Event, type Graph, type Report } from "../wire";
import type { Address } from "./address";
import { chooseGraph, chooseStage, chooseText, select, selectSourceLine } from "./choosing";
import { START } from "../lib/urlstate";
import { applyAll, edit, open, present, setOptions } from "./running";
import { createRunView, type RunView } from "./runview";

const events = sample.events as unknown as Event[];
const report = sample.report as unknown as Report;

const stored: Run = {
  id: "abc",
  state: "done",
  source: report.snippet.source,
  options: DEFAULT_OPTIONS,
  report,
  seq: events.length,
  finished: "2026-01-01T00:00:00Z",
  seconds: 2.5,
  ahead: null,
  wait_s: null,
  waits_for: "",
  shared: false,
  mine: false,
};

const signals = (view: RunView): unknown[] => [
  view.source.value,
  view.options.value,
  view.run.value,
  view.report.value,
  view.progress.value,
  view.complaint.value,
  view.chosenStage.value,
  view.chosenTexts.value,
  view.selection.value,
  view.list.hideUnchanged.value,
  view.navigation.active.value,
];

describe("two runs side by side", () => {
  it("share nothing: what is done to one leaves the other as it was", () => {
    const [left, right] = [createRunView(), createRunView()];
    const before = signals(right);
    present(left, stored);
    edit(left, `${stored.source}\n`);
    edit(left, stored.source);
    setOptions(left, { target: "sm_100" });
    chooseStage(left, 1);
    chooseText(left, "triton", "k");
    selectSourceLine(left, left.program.value!.nodes.find((node) => node.line)!.line!);
    left.list.hideUnchanged.value = true;
    left.navigation.show("kernels");
    expect(left.selection.value.nodes.size).toBeGreaterThan(0);
    expect(signals(right)).toEqual(before);
  });

  it("take each its own events", () => {
    const [left, right] = [createRunView(), createRunView()];
    applyAll(left, events);
    applyAll(right, events.slice(0, 3));
    expect(left.report.value).toEqual(report);
    expect(right.stages.value.length).toBeLessThan(left.stages.value.length);
  });

  it("have elements of their own", () => {
    expect(createRunView().prefix).not.toBe(createRunView().prefix);
  });
});

describe("the view of a run", () => {
  it("writes what is shown to its own address, and to no other", () => {
    const calls: string[] = [];
    const address: Address = {
      opened: (id) => calls.push(id),
      moved: (id, { stage, nodes }) => calls.push(`${id} ${stage} ${nodes.join()}`),
      view: () => ({ ...START, stage: 2, nodes: [1] }),
    };
    const [addressed, other] = [createRunView(address), createRunView()];
    present(addressed, stored);
    present(other, stored);
    chooseStage(other, 3);
    select(addressed, new Set([4, 5]), "ir");
    expect(calls).toEqual(["abc 2 4,5"]);
  });

  it("opens at what its address says", () => {
    const view = createRunView({
      opened: () => {},
      moved: () => {},
      view: () => ({ ...START, stage: 2, nodes: [1] }),
    });
    present(view, stored);
    expect(view.stageIndex.value).toBe(2);
    expect([...view.selection.value.nodes]).toEqual([1]);
  });

  it("lights up a region that is chosen, until another graph is", () => {
    const view = createRunView();
    const [program] = report.programs;
    const [first, ...others] = program!.nodes;
    const body: Graph = { ...program!.graphs[0]!, id: "body", role: "body", parent: "whole" };
    const inside = {
      ...program!,
      graphs: [...program!.graphs, body],
      nodes: [{ ...first!, graph: "body" }, ...others],
    };
    present(view, { ...stored, report: { ...report, programs: [inside] } });
    chooseGraph(view, "body");
    expect([...view.selection.value.nodes]).toEqual([first!.id]);
    chooseGraph(view, null);
    expect(view.selection.value.nodes.size).toBe(0);
  });

  it("makes nothing anew of one more stage but the list of stages", () => {
    const view = createRunView();
    present(view, stored);
    const [stage] = report.programs[0]!.stages;
    const made = () => [
      view.huesOf(""),
      view.sourceLines.value,
      view.reasons.value,
      view.nodes.value,
    ];
    const [before, rows] = [made(), view.list.rows.value.length];
    expect(before.every((each) => [...each].length > 0)).toBe(true);
    applyAll(view, [{ type: "stage_done", program: 0, stage: stage! }]);
    expect(view.list.rows.value.length).toBe(rows + 1);
    made().forEach((each, at) => expect(each).toBe(before[at]));
  });

  it("is empty again once no run is asked for", async () => {
    const view = createRunView();
    present(view, stored);
    vi.stubGlobal("location", { pathname: "/" });
    await open(view, null);
    vi.unstubAllGlobals();
    expect(view.run.value).toBeNull();
    expect(view.report.value).toEqual(EMPTY_REPORT);
  });
});
