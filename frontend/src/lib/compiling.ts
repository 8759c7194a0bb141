/** What each compiler spent its compile time on. */
import type { Phase, Program, Table } from "../wire";
import { inOrder } from "./compilers";
import { numbers } from "./table";

export interface Compiling {
  compiler: string;
  phases: Phase[];
  /** Milliseconds of all phases. */
  total: number;
}

/** The compilers that tell their phases, in the page's order. */
export function compilingOf({ compilers }: Program): Compiling[] {
  const told = new Map(compilers.map(({ compiler, phases }) => [compiler, phases]));
  return inOrder(told.keys()).flatMap((compiler) => {
    const phases = told.get(compiler)!.filter(({ ms }) => ms > 0);
    const total = phases.reduce((sum, { ms }) => sum + ms, 0);
    return total > 0 ? [{ compiler, phases, total }] : [];
  });
}

/** The names of all phases, each once: their places are their hues. */
export const phaseNames = (rows: readonly Compiling[]): string[] => [
  ...new Set(rows.flatMap(({ phases }) => phases.map(({ name }) => name))),
];

export const compilingTable = (rows: readonly Compiling[]): Table =>
  numbers(
    "compile time",
    [["Compiler"], ["Phase"], ["Time", "ms"]],
    rows.flatMap(({ compiler, phases }) => phases.map(({ name, ms }) => [compiler, name, ms])),
  );
