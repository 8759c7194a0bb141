/** What the marks of the fusion graph mean. */
import type { Box, Drawing } from "../graph/parts";
import { LEGEND_BYTES, widthOf } from "../graph/look";
import { bytes, plural } from "../lib/format";

interface Props {
  drawing: Drawing;
  /** What the plan has, of which a part may be drawn; blank where that is not told. */
  told: string;
  /** Whether an edge may be forbidden or forced. */
  decides: boolean;
}

export function FusionLegend({ drawing, told, decides }: Props) {
  const { boxes, lines } = drawing;
  const refused = lines.filter(({ reasons }) => reasons.length > 0).length;
  return (
    <div class="fusion-legend faint">
      <span>{told || drawn(drawing)}</span>
      <span class="key widths" title="Widths are on a logarithmic scale">
        {LEGEND_BYTES.map((size) => (
          <span key={size} class="key">
            <svg width="20" height="10" aria-hidden="true">
              <line x1="0" x2="20" y1="5" y2="5" stroke-width={widthOf(size)} />
            </svg>
            {bytes(size).replace(/\.0+/, "")}
          </span>
        ))}
      </span>
      {refused > 0 && (
        <span class="key">
          <svg width="24" height="10" aria-hidden="true">
            <line class="refused" x1="0" x2="24" y1="5" y2="5" stroke-width="2" />
          </svg>
          not fused: {refused}
        </span>
      )}
      {decides && lines.length > 0 && (
        <span>What if: {boxes.some(isClosed) ? OPEN_FIRST : "click an edge"}</span>
      )}
    </div>
  );
}

const OPEN_FIRST = "double click a block, then an edge";

const isClosed = ({ kind }: Box): boolean => kind === "hull";

function drawn({ boxes, hulls }: Drawing): string {
  const count = (of: Box["kind"]) => boxes.filter(({ kind }) => kind === of).length;
  const open = hulls.filter(({ isFrame }) => !isFrame).length;
  const [operations, kernels] = [count("operation"), open + count("hull")];
  return [
    operations > 0 && plural(operations, "operation"),
    kernels > 0 && plural(kernels, "kernel"),
  ]
    .filter(Boolean)
    .join(" in ");
}
