/** What stands in the place of a text that is on its way, or that could not be had. */
import { bytes } from "../lib/format";
import type { Looked } from "./useText";

export function Missing({ looked }: { looked: Looked }) {
  const { missing, artifact, again } = looked;
  if (missing === null) return null;
  if (missing.state === "failed") {
    return (
      <div class="text-missing" role="alert">
        <p>{missing.error}</p>
        <button onClick={again}>Try again</button>
      </div>
    );
  }
  const size = bytes(artifact.stored?.bytes ?? 0);
  return (
    <div class="text-missing" role="status">
      <p class="faint">Fetching {size}</p>
      <progress max={1} value={missing.fraction} aria-label={`Fetching ${artifact.name}`} />
    </div>
  );
}
