/** The same as a table: what reads what, in which kernels, and why the two are apart. */
import { edgeOf, type Edge } from "../graph/edges";
import type { Box, Drawing, Line } from "../graph/parts";
import { matches } from "../graph/look";
import { bytes, plural } from "../lib/format";
import { select } from "../store/choosing";
import { useRunView } from "../store/context";
import { EdgeButton } from "./Decide";

interface Props {
  drawing: Drawing;
  /** What is looked for; blank for all. */
  wanted: string;
  /** What overrides call its values; null where nothing is to be decided. */
  names: ReadonlyMap<number, string> | null;
}

export function FusionTable({ drawing, wanted, names }: Props) {
  const boxes = new Map(drawing.boxes.map((box) => [box.id, box]));
  const hulls = new Map(drawing.hulls.map(({ id, label }) => [id, label]));
  const found = wanted.trim() ? new Set(matches(drawing, wanted).map(({ id }) => id)) : null;
  const lines = drawing.lines.filter(({ from, to }) => !found || found.has(from) || found.has(to));
  const inOf = (box: Box | undefined) => hulls.get(box?.hull ?? "")?.split(" · ")[0] ?? "";
  return (
    <div class="fusion-table" role="region" aria-label={useRunView().called("Edges")} tabIndex={0}>
      <table class="table">
        <caption class="note">{plural(lines.length, "edge")}</caption>
        <thead>
          <tr>
            <th scope="col">From</th>
            <th scope="col">To</th>
            {names && <th scope="col">What if</th>}
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
            const edge = names && edgeOf(drawing, line, names);
            const shown = { line, from, to, kernels, edge };
            return <Row key={line.id} {...shown} decides={names !== null} />;
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
  edge: Edge | null;
  /** Whether there is a column for what may be decided. */
  decides: boolean;
}

function Row({ line, from, to, kernels, edge, decides }: RowProps) {
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
      {decides && <td>{edge && <EdgeButton edge={edge} />}</td>}
      <td class="number">{line.bytes ? bytes(line.bytes) : "–"}</td>
      <td>{kernels.join(" → ")}</td>
      <td class="wrap">{line.reasons.join("; ")}</td>
    </tr>
  );
}
