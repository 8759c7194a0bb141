/** What is remarked on a run, as it is listed: graph breaks first, and what is said again counted. */
import type { Notice, Report } from "../wire";
import { groupBy } from "./group";

export interface Counted {
  notice: Notice;
  count: number;
}

export function countedNotices({ programs, notices }: Report): Counted[] {
  const breaks = programs.flatMap((p) => p.graph_breaks).map(asNotice);
  const equal = groupBy([...breaks, ...notices], (notice) => JSON.stringify(notice));
  return [...equal.values()].map((same) => ({ notice: same[0]!, count: same.length }));
}

function asNotice({ reason, line }: { reason: string; line: number | null }): Notice {
  return { level: "warning", text: `Graph break: ${reason}`, line, by_service: false };
}
