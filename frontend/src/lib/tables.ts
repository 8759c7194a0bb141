/** The tables of stages: which there are. What shows one comes with its pane (table.ts). */
import type { Stage, Table } from "../wire";

/** A table with its stage, and a key that is the same in every replay of the run. */
export interface ShownTable {
  key: string;
  stage: Stage;
  table: Table;
}

export const tablesOf = (stages: readonly Stage[]): ShownTable[] =>
  stages.flatMap((stage) =>
    stage.tables.map((table) => ({ key: keyOf(stage, table), stage, table })),
  );

const keyOf = ({ compiler, graph, backend, parent, name }: Stage, table: Table): string =>
  [compiler, graph, backend, parent, name, table.name].join("/");
