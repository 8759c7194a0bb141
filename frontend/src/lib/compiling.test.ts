import { describe, expect, it } from "vitest";
import { EMPTY_PROGRAM, type CompilerSummary } from "../wire";
import { compilingOf, compilingTable, phaseNames } from "./compiling";
import { csvOf } from "./table";

const told = (compiler: string, phases: [string, number][]) =>
  ({ compiler, phases: phases.map(([name, ms]) => ({ name, ms })) }) as CompilerSummary;

const ROWS = compilingOf({
  ...EMPTY_PROGRAM,
  compilers: [
    told("xla", [["compile", 50]]),
    told("core", [
      ["capture", 8],
      ["codegen", 90],
      ["pass", 0],
    ]),
    told("eager", []),
  ],
});

describe("compile time", () => {
  it("has a bar for each compiler that tells its phases, without those that took none", () => {
    expect(ROWS.map(({ compiler, total }) => [compiler, total])).toEqual([
      ["core", 98],
      ["xla", 50],
    ]);
    expect(phaseNames(ROWS)).toEqual(["capture", "codegen", "compile"]);
  });

  it("is a table with a row a phase", () => {
    expect(csvOf(compilingTable(ROWS)).split("\r\n").slice(0, 2)).toEqual([
      "Compiler,Phase,Time (ms),line",
      "core,capture,8,",
    ]);
  });
});
