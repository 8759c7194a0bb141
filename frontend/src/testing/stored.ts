/** A run that is done, as the server has it. */
import { DEFAULT_OPTIONS, EMPTY_REPORT } from "../wire";

export const storedRun = (source: string) =>
  ({
    id: "abc",
    state: "done",
    source,
    options: DEFAULT_OPTIONS,
    report: EMPTY_REPORT,
    seq: 1,
    finished: "2026-01-01T00:00:00Z",
    seconds: 1,
    ahead: null,
    wait_s: null,
    waits_for: "",
    shared: false,
    mine: false,
  }) as const;
