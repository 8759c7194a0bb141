/** How large an error is, as a bar on a logarithmic scale: empty where a kernel is exact. */
import { share, errorText } from "../lib/precision";
import type { ErrorSize } from "../wire";

const WIDTH = 56;

export function ErrorBar({ size, of }: { size: ErrorSize; of: string }) {
  return (
    <svg
      class="error-bar"
      width={WIDTH}
      height="8"
      role="img"
      aria-label={`${of}: ${errorText(size)}`}
    >
      <title>{`${of}: ${errorText(size)}`}</title>
      <rect class="track" width={WIDTH} height="8" rx="2" />
      <rect class="amount" width={WIDTH * share(size)} height="8" rx="2" />
    </svg>
  );
}
