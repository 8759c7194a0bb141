/** The same as a table: what reads what, in which kernels, and why the two are apart. */
import type { Box, Drawing, Line } from "../graph/parts";
import { matches } from "../graph/look";
import { bytes, plural } from "../lib/format";
import { select } from "../store/choosing";
import { useRunView } from "../store/context";

interface Props {
  drawing: Drawing;
  /** What is looked for; blank for all. */
  wanted: string;
}

export function FusionTable({ drawing, wanted }: Props) {
  const boxes = new Map(drawing.boxes.map((box) => [box.id, box]));
  const hulls = new Map(drawing.hulls.map(({ id, label }) => [id, label]));
  const found = wanted.trim() ? new Set(matches(drawing, wanted).map(({ id }) => id)) : null;
  const lines = drawing.lines.filter(({ from, to }) => !found || found.has(from) || found.has(to));
  const inOf = (box: Box | undefined) => hulls.get(box?.hull ?? "")?.split(" · ")[0] ?? "";
  return (
    <div class="fusion-table" role="region" aria-label="Edges" tabIndex={0}>
      <table class="table">
        <caption class="note">{plural(lines.length, "edge")}</caption>
        <thead>
          <tr>
            <th scope="col">From</th>
            <th scope="col">To</th>
            <th scope="col" class="number">
              Bytes
            </th>
            <th scope="col">Kernels</th>
            <th scope="col">Why apart</th>
          </tr>
        </thead>
        <tbody>
          {lines.map((line) => {
            const [from, to] = [boxes.get(line.from), boxes.get(line.to)];
            const kernels = [...new Set([inOf(from), inOf(to)])].filter(Boolean);
            return <Row key={line.id} line={line} from={from} to={to} kernels={kernels} />;
          })}
        </tbody>
      </table>
    </div>
  );
}

interface RowProps {
  line: Line;
  from: Box | undefined;
  to: Box | undefined;
  kernels: readonly string[];
}

function Row({ line, from, to, kernels }: RowProps) {
  const view = useRunView();
  const nodes = new Set([...(from?.nodes ?? []), ...(to?.nodes ?? [])]);
  return (
    <tr>
      <th scope="row">
        <button class="row" onClick={() => select(view, nodes, "fusion")}>
          <code>{from?.label}</code>
        </button>
      </th>
      <td>
        <code>{to?.label}</code>
      </td>
      <td class="number">{line.bytes ? bytes(line.bytes) : "–"}</td>
      <td>{kernels.join(" → ")}</td>
      <td class="wrap">{line.reasons.join("; ")}</td>
    </tr>
  );
}
