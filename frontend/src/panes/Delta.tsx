/** How many lines a pass added and removed. */
import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { sidesOf } from "../lib/artifacts";
import { reportedCount, type LineCount } from "../lib/stages";
import type { Stage } from "../wire";

/** Counts for reports that do not say it; without it they have no counts. */
const counter = signal<((stage: Stage) => LineCount | null) | null>(null);

const fetchCounter = async (): Promise<void> => {
  counter.value = (await import("../lib/linecount")).countLines;
};

export function Delta({ stage }: { stage: Stage }) {
  const reported = reportedCount(stage);
  const isUnreported = reported === null && Boolean(sidesOf(stage)?.before);
  useEffect(() => {
    if (isUnreported && !counter.peek()) fetchCounter().catch(() => {});
  }, [isUnreported]);
  const lines = reported ?? (isUnreported ? (counter.value?.(stage) ?? null) : null);
  if (!lines) return null;
  return (
    <span class="delta" title={`${lines.added} lines added, ${lines.removed} removed`}>
      <span class="came">+{lines.added}</span> <span class="gone">−{lines.removed}</span>
    </span>
  );
}
