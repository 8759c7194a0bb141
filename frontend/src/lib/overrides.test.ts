import { describe, expect, it, test } from "vitest";
import { EMPTY_PROGRAM, type Program } from "../wire";
import {
  figuresOf,
  inWords,
  plansChanged,
  plansOf,
  timeChange,
  withOne,
  withoutOne,
} from "./deciding";
import { areSame, asText, fromText, type Override } from "./overrides";

const forbid: Override = { type: "forbid", from: "0.divide", to: "1.add", program: 0 };
const force: Override = { ...forbid, type: "force" };
const without: Override = { type: "without", name: "merge-views" };
const schedule: Override = {
  type: "schedule",
  kernel: "1.add",
  candidate: "rows.2",
  parameters: { block: 64 },
  backend: "cpu",
  program: 0,
};

describe("overrides", () => {
  it("have one word on each edge, kernel and pass", () => {
    expect(withOne([without, forbid], force)).toEqual([without, force]);
    expect(withOne([schedule], { ...schedule, candidate: "rows" })).toHaveLength(1);
    expect(withOne([schedule], { ...schedule, backend: "gpu" })).toHaveLength(2);
    expect(withOne([forbid], { ...forbid, program: 1 })).toHaveLength(2);
    expect(withoutOne([without, forbid], forbid)).toEqual([without]);
  });

  it("are the same in whatever order", () => {
    expect(areSame([without, forbid], [forbid, without])).toBe(true);
    expect(areSame([forbid], [force])).toBe(false);
  });

  it("come back from an address, and nothing else does", () => {
    expect(fromText(asText([without, schedule]))).toEqual([without, schedule]);
    for (const text of [null, "", "{", "[1]", '[{"type":"x"}]', "{}"])
      expect(fromText(text)).toBeNull();
  });

  it("are said in words", () => {
    expect([without, forbid, force, schedule].map((each) => inWords(each))).toEqual([
      "Without merge-views",
      "Apart: 0.divide → 1.add",
      "Fused: 0.divide → 1.add",
      "the kernel of 1.add: rows, its candidate 2, block 64 (CPU)",
    ]);
  });
});

test("a schedule is said by its kernel and what it is, where the program has it", () => {
  const parameters = { simd: "yes", block: 4 };
  const free = { simd: ["yes", "no"], block: [4, 64] };
  const candidates = [{ name: "rows.2", strategy: "rows", parameters, free }];
  const product = { id: "k0_add", result: "1.add", backend: "cpu", candidates };
  const programs = [{ ...EMPTY_PROGRAM, kernels: [product] }] as unknown as Program[];
  expect(inWords(schedule, programs)).toBe("k0_add: rows, simd yes, block 64 (CPU)");
  const unknown = inWords({ ...schedule, candidate: "rows" }, []);
  expect(unknown).toBe("the kernel of 1.add: rows, block 64 (CPU)");
});

test("what follows from a parameter that is set is said as it came out, and not before", () => {
  const free = { block: [1, 64] };
  const usual = { name: "rows.2", strategy: "rows", parameters: { block: 1, programs: 512 }, free };
  const made = { ...usual, name: "rows.3", parameters: { block: 64, programs: 8 }, chosen: true };
  const said = (candidates: unknown[]) => {
    const product = { id: "k0_add", result: "1.add", backend: "cpu", candidates };
    return inWords(schedule, [{ ...EMPTY_PROGRAM, kernels: [product] }] as unknown as Program[]);
  };
  expect(said([usual])).toBe("k0_add: rows, block 64 (CPU)");
  expect(said([usual, made])).toBe("k0_add: rows, block 64, programs 8 (CPU)");
});

test("a schedule that leaves the writing to another kernel is not said to be that one's", () => {
  const flat = { name: "flat", strategy: "flat", parameters: {}, chosen: true };
  const onednn = { name: "onednn", strategy: "onednn", parameters: {}, chosen: true };
  const kernels = [
    { id: "k0_matmul", result: "0.dot_general", backend: "cpu", candidates: [onednn] },
    { id: "k1_add", result: "1.add", backend: "cpu", candidates: [flat] },
  ];
  const programs = [{ ...EMPTY_PROGRAM, kernels }] as unknown as Program[];
  const library: Override = { ...schedule, candidate: "onednn", parameters: {} };
  expect(inWords(library, programs)).toBe("the kernel of 1.add: onednn (CPU)");
});

test("a way of a product that became a sum is said by the launch that lists it", () => {
  const rows = { name: "rows", strategy: "rows", parameters: {}, chosen: true };
  const blas = { name: "blas", strategy: "blas", parameters: {}, of: "0.dot_general" };
  const kernels = [
    { id: "k0_multiply_reduce", result: "1.add", backend: "cpu", candidates: [rows, blas] },
  ];
  const programs = [{ ...EMPTY_PROGRAM, kernels }] as unknown as Program[];
  const wanted = { ...schedule, kernel: "0.dot_general", candidate: "blas", parameters: {} };
  expect(inWords(wanted, programs)).toBe("k0_multiply_reduce: blas (CPU)");
});

const candidates = [
  { chosen: false, cost_us: 9 },
  { chosen: true, cost_us: 2 },
];
const kernel = {
  id: "k0",
  backend: "cpu",
  bytes_read: 10,
  bytes_written: 5,
  candidates,
  chosen_with: [],
};
const timing = (median_us: number) => ({ median_us, p25_us: median_us - 1, p75_us: median_us + 1 });
const program = (kernels: unknown[], us: number) =>
  ({ ...EMPTY_PROGRAM, kernels, timings: { core: timing(us) } }) as unknown as Program;

describe("before and after", () => {
  it("counts the launches of one plan, what they move and what the model says", () => {
    const other = { ...kernel, backend: "gpu" };
    const found = figuresOf(program([kernel, other], 1), program([kernel, kernel], 1), "cpu");
    expect(found).toEqual([
      { name: "launches", before: 1, after: 2, unit: "launches" },
      { name: "traffic", before: 15, after: 30, unit: "bytes" },
      { name: "by the model", before: 2, after: 4, unit: "us" },
    ]);
  });

  it("has one cost of launches that are one choice, and none where one has none", () => {
    const pair = ["k0", "k1"].map((id) => ({ ...kernel, id, chosen_with: ["k0", "k1"] }));
    const found = (after: unknown[]) =>
      figuresOf(program([kernel], 1), program(after, 1), "cpu").filter(({ unit }) => unit === "us");
    expect(found(pair)).toEqual([{ name: "by the model", before: 2, after: 2, unit: "us" }]);
    expect(found([{ ...kernel, candidates: [] }])).toEqual([]);
  });

  it("has nothing that the model says of what was set by hand", () => {
    const set = { override: schedule, state: "applied", reason: "", backend: "cpu" };
    const after = { ...program([kernel], 1), overrides: [set] } as unknown as Program;
    const units = (plan: string) =>
      figuresOf(program([kernel], 1), after, plan).map(({ unit }) => unit);
    expect(units("cpu")).toEqual(["launches", "bytes"]);
  });

  it("are of the plans that what was decided speaks of", () => {
    const plans = ["cpu", "gpu"];
    expect(plansOf([{ ...schedule, backend: "gpu" }], plans)).toEqual(["gpu"]);
    expect(plansOf([{ ...schedule, backend: "gpu" }, without], plans)).toEqual(plans);
    expect(plansOf([forbid], plans)).toEqual(plans);
    expect(plansOf([], plans)).toEqual(plans);
  });

  it("are of the plan in which something changed, else of the first", () => {
    const gpu = { ...kernel, backend: "gpu" };
    const before = program([kernel, gpu], 1);
    const plans = (after: unknown[]) =>
      plansChanged(before, program(after, 1), ["cpu", "gpu"]).map(({ plan }) => plan);
    expect(plans([kernel, gpu, gpu])).toEqual(["gpu"]);
    expect(plans([kernel, gpu])).toEqual(["cpu"]);
    expect(plans([kernel, kernel, gpu, gpu])).toEqual(["cpu", "gpu"]);
  });

  it("calls times the same whose middle halves meet", () => {
    expect(timeChange(program([], 10), program([], 11.5))?.verdict).toBe("same within noise");
    expect(timeChange(program([], 10), program([], 20))?.verdict).toBe("2.00× slower");
    expect(timeChange(program([], 20), program([], 10))?.verdict).toBe("2.00× faster");
    expect(timeChange(EMPTY_PROGRAM, program([], 10))).toBeNull();
  });
});
