/** What the devices of a mesh send each other in a call: the collectives of the partitioned module. */
import { bytes } from "../lib/format";
import { trafficOf, type Sent } from "../lib/mesh";
import { select } from "../store/choosing";
import { useRunView } from "../store/context";
import { Lines } from "./Lines";

export function MeshTraffic() {
  const sent = trafficOf(useRunView().stages.value);
  if (sent === null) return null;
  return (
    <section aria-label="What devices send each other">
      <h2 class="subhead">What devices send each other</h2>
      {sent.length > 0 ? <Collectives sent={sent} /> : <p class="note">Nothing.</p>}
    </section>
  );
}

function Collectives({ sent }: { sent: readonly Sent[] }) {
  const view = useRunView();
  return (
    <table class="table">
      <thead>
        <tr>
          <th scope="col">Collective</th>
          <th scope="col">Over</th>
          <th scope="col" class="number">
            Each sends
          </th>
          <th scope="col">Line</th>
          <th scope="col">Why</th>
        </tr>
      </thead>
      <tbody>
        {sent.map(({ kind, over, sent: size, why, row }, at) => (
          <tr
            key={at}
            class={row.nodes.some((n) => view.selection.value.nodes.has(n)) ? "lit" : ""}
          >
            <th scope="row">
              <button class="row" onClick={() => select(view, new Set(row.nodes), "mesh")}>
                {kind}
              </button>
            </th>
            <td>{over}</td>
            <td class="number">{size === null ? "–" : bytes(size)}</td>
            <td>
              <Lines lines={[row.line]} />
            </td>
            <td class="wrap">{why}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
