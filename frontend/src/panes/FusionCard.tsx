/** What is pointed at, or what the keys are at, in words. */
import type { Edge } from "../graph/edges";
import type { Drawing } from "../graph/parts";
import { EdgeButton } from "./Decide";
import { lineText } from "./FusionDrawing";

interface Props {
  drawing: Drawing;
  id: string | null;
  /** What can be decided of it; null where nothing can, or it is only pointed at. */
  edge: Edge | null;
  /** Whether something could if its ends were open. */
  isClosed: boolean;
}

export function FusionCard({ drawing, id, edge, isClosed }: Props) {
  const card = id === null ? null : cardOf(drawing, id);
  return (
    <div class={edge ? "fusion-card pinned" : "fusion-card"} role="status" hidden={card === null}>
      {card && (
        <>
          <strong>{card.title}</strong>
          {card.lines.filter(Boolean).map((line, index) => (
            <p key={index}>{line}</p>
          ))}
          {edge && <EdgeButton edge={edge} />}
          {!edge && isClosed && <p>What if: open its ends, each by a double click.</p>}
        </>
      )}
    </div>
  );
}

interface Card {
  title: string;
  lines: readonly string[];
}

function cardOf({ boxes, lines, hulls }: Drawing, id: string): Card | null {
  const titleOf = (hull: string | null) => hulls.find((each) => each.id === hull)?.label ?? "";
  const box = boxes.find((each) => each.id === id);
  if (box) {
    const { label, detail, hull, value, isAgain } = box;
    const again = isAgain ? "Computed again here, rather than written and read." : "";
    const name = value === null ? label : `%${value} ${label}`;
    return { title: name, lines: [detail, titleOf(hull), again] };
  }
  const line = lines.find((each) => each.id === id);
  if (line) {
    const [from, to] = [line.from, line.to].map(
      (end) => boxes.find((each) => each.id === end)?.label ?? end,
    );
    const refused = line.reasons.length > 0 ? ["Not fused:", ...line.reasons] : [];
    return { title: `${from} → ${to}`, lines: [lineText(line), ...refused] };
  }
  const hull = hulls.find((each) => each.id === id);
  return hull ? { title: hull.label, lines: [hull.title] } : null;
}
