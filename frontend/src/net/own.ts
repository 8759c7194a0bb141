/** The runs of whoever sits before the page. */
import { call, type RunState } from "./api";

export interface OwnRun {
  id: string;
  url: string;
  name: string;
  state: RunState;
  /** In ISO 8601. */
  created: string;
  shared: boolean;
  verdict: string;
}

export const getOwnRuns = () => call<{ runs: OwnRun[] }>("GET", "runs");

export const renameRun = (id: string, name: string) =>
  call<unknown>("PATCH", `runs/${id}`, { name });

export const deleteRun = (id: string) => call<unknown>("DELETE", `runs/${id}`);
