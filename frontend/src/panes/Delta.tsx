/** How many lines a pass added and removed. */
import { lineCount } from "../lib/stages";
import type { Stage } from "../wire";

export function Delta({ stage }: { stage: Stage }) {
  const lines = lineCount(stage);
  if (!lines) return null;
  return (
    <span class="delta" title={`${lines.added} lines added, ${lines.removed} removed`}>
      <span class="came">+{lines.added}</span> <span class="gone">−{lines.removed}</span>
    </span>
  );
}
