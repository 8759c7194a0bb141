import { describe, expect, it } from "vitest";
import { DEFAULT_OPTIONS, INSIDES, type Options } from "../wire";
import {
  compilersFor,
  cameBy,
  chosenInWords,
  fitting,
  inOrder,
  namesBeside,
  titleBeside,
  titleOf,
  toInstall,
} from "./compilers";

const all = INSIDES.map(({ id }) => id);
const forTorch = INSIDES.filter(({ frameworks }) => frameworks.includes("torch"));

describe("compilers", () => {
  it("have a title; one that the page does not know stands as it is", () => {
    expect([titleOf("xla"), titleOf("tomorrow")]).toEqual(["XLA", "tomorrow"]);
  });

  it("stand in the order in which a program goes through them, unknown ones last", () => {
    const last = all.at(-1)!;
    expect(inOrder(["tomorrow", last, "core", "eager"])).toEqual([
      "eager",
      "core",
      last,
      "tomorrow",
    ]);
  });

  it("stand before their modes", () => {
    expect(inOrder(["xla", "inductor:max-autotune", "inductor"])).toEqual([
      "inductor",
      "inductor:max-autotune",
      "xla",
    ]);
  });

  it("have one name beside a program: what JAX does without one goes op by op", () => {
    const titles = (framework: "torch" | "jax") =>
      ["eager", "xla"].map((id) => titleBeside({ framework }, id));
    expect([titles("torch"), titles("jax")]).toEqual([
      ["eager", "XLA"],
      ["op by op", "XLA"],
    ]);
  });

  it("have their mode on a line of its own before a plot's row", () => {
    const names = (id: string) => namesBeside({ framework: "jax" }, id);
    expect(names("inductor:max-autotune")).toEqual(["Inductor", "max-autotune"]);
    expect(names("eager")).toEqual(["op by op", ""]);
  });
});

describe("what is asked of a run, in words", () => {
  const inWords = (options: Partial<Options>, source = "import torch") =>
    chosenInWords({ ...DEFAULT_OPTIONS, ...options }, source)[0];

  it("is its compilers where all else is as usual", () => {
    expect(inWords({})).toBe("core");
    expect(inWords({}, "import jax")).toBe("core, XLA");
    expect(inWords({ compilers: ["inductor"] })).toBe("Inductor");
    expect(inWords({ compilers: [] })).toBe("no compiler");
  });

  it("is whatever else was chosen", () => {
    expect(inWords({ device: "cpu", target: "sm_90", trials: true, insides: ["xla"] })).toBe(
      "core · CPU · sm_90 · remedies tried · inside XLA",
    );
    expect(inWords({ target: "none" })).toBe("core · only what runs it");
  });

  it("is counted where there is less room, and at last in a few words", () => {
    const options: Options = {
      ...DEFAULT_OPTIONS,
      compilers: ["core", "xla"],
      timeline: true,
      insides: ["xla", "jax"],
    };
    expect(chosenInWords(options, "")).toEqual([
      "core, XLA · timeline · inside XLA, JAX",
      "core, XLA · timeline · inside 2",
      "2 compilers · timeline · inside 2",
      "2 compilers, 2 more",
    ]);
    expect(chosenInWords(DEFAULT_OPTIONS, "").at(-1)).toBe("core");
  });
});

describe("an extra", () => {
  const command = "make toolchain NAME=iree";

  it("is absent with the command where no worker has it", () => {
    expect(toInstall(command, ["tvm"])).toBe(command);
  });

  it("is there where one has it, and not absent before workers were asked", () => {
    expect(toInstall(command, ["iree", "tvm"])).toBe("");
    expect(toInstall(command, null)).toBe("");
    expect(toInstall("", [])).toBe("");
  });
});

describe("what may be looked into", () => {
  const imported = (source: string) => fitting(source, []).map(({ id }) => id);
  const bound = INSIDES.filter(({ imported }) => imported !== "");
  const free = INSIDES.filter((inside) => !bound.includes(inside));

  it("fits the frameworks that the snippet imports", () => {
    expect(fitting("import torch.nn as nn\n", [])).toEqual(forTorch);
    expect(fitting("from jax import numpy\nimport torch\n", [])).toEqual(free);
  });

  it("is everything where the snippet imports neither, and what is asked for already", () => {
    expect(fitting("def f(x): ...", [])).toEqual(free);
    expect(fitting("import torch", all)).toEqual([...INSIDES]);
  });

  it("has what is of one import where that is made, with what fits its programs", () => {
    expect(bound.map(({ imported }) => imported)).toEqual(["tensorflow"]);
    const found = imported("import tensorflow as tf\n");
    expect(found).toEqual(
      INSIDES.filter(({ frameworks }) => frameworks.includes("jax")).map(({ id }) => id),
    );
    expect(imported("import jax\n")).not.toContain(bound[0]!.id);
  });
});

describe("the framework that a program came in by", () => {
  it("is TensorFlow or StableHLO where the snippet is of these, whose programs come in as JAX's", () => {
    const of = (framework: "torch" | "jax", source: string) => cameBy({ framework }, source);
    expect(of("jax", "import tensorflow as tf\n")).toBe("TensorFlow");
    expect(of("jax", "import jax\n")).toBe("JAX");
    expect(of("torch", "import torch\n")).toBe("PyTorch");
    expect(of("jax", "// a comment\nfunc.func @main() {\n")).toBe("StableHLO");
  });
});

describe("the compilers that a snippet is given to", () => {
  it("are the core, and beside a JAX program that is measured XLA", () => {
    const options = { ...DEFAULT_OPTIONS, measure: true };
    expect(compilersFor(options, "import torch\n")).toEqual(["core"]);
    expect(compilersFor(options, "import jax\n")).toEqual(["core", "xla"]);
    expect(compilersFor(options, "module @jit_f {\n")).toEqual(["core", "xla"]);
    expect(compilersFor({ ...options, measure: false }, "import jax\n")).toEqual(["core"]);
  });

  it("are those that were chosen, where some were", () => {
    expect(compilersFor({ ...DEFAULT_OPTIONS, compilers: ["core"] }, "import jax\n")).toEqual([
      "core",
    ]);
  });
});
