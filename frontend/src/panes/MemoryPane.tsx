/** What a forward graph keeps for the backward one; and the memory plan: every buffer from its first
 * step to its last, at its place. */
import type { ComponentChildren } from "preact";
import { inOrder, titleOf } from "../lib/compilers";
import { bytes, plural } from "../lib/format";
import { extentOf, NOTHING_KEPT, placedOf, stepsOf, totalOf } from "../lib/memory";
import { sectionsOf } from "../lib/plans";
import { select } from "../store/choosing";
import { useRunView } from "../store/context";
import type { Buffer, Graph } from "../wire";
import { Empty } from "./Empty";
import { Lines } from "./Lines";
import { MemoryMap } from "./MemoryMap";
import { Name } from "./Name";
import { PlanSwitch } from "./PlanSwitch";
import { isNamed, SectionHead } from "./SectionHead";

export function MemoryPane() {
  const { program, isShown, isOfGraph, backends } = useRunView();
  const current = program.value;
  if (!current) return <Empty pane="memory" />;
  const keeping = current.graphs.filter(
    ({ id, saved }) => saved.length > 0 && isOfGraph.value({ graph: id }),
  );
  if (current.buffers.length + keeping.length === 0) return <Empty pane="memory" />;
  const shown = current.buffers.filter(isShown.value);
  const sections = sectionsOf(
    current,
    shown.filter(({ compiler }) => compiler === ""),
  );
  const others = inOrder(shown.map(({ compiler }) => compiler)).filter(Boolean);
  return (
    <div class="pane">
      {backends.value.length > 1 && (
        <div class="pane-head">
          <PlanSwitch />
        </div>
      )}
      <div class="pane-body">
        {keeping.map((graph) => (
          <Kept key={graph.id} graph={graph} />
        ))}
        {sections.map((section) => (
          <Placement
            key={section.key}
            buffers={section.entries}
            backend={section.backend}
            graph={section.graph ?? current.graphs[0] ?? null}
          >
            {(isNamed(section) || others.length > 0) && (
              <>
                {others.length > 0 && "Fuselab "}
                <SectionHead section={section} />
              </>
            )}
          </Placement>
        ))}
        {others.map((name) => (
          <Placement
            key={name}
            buffers={shown.filter(({ compiler }) => compiler === name)}
            backend=""
            graph={null}
          >
            {titleOf(name)}
          </Placement>
        ))}
        {sections.length === 0 && <p class="note">This part of the program has no buffers.</p>}
      </div>
    </div>
  );
}

interface PlacementProps {
  buffers: readonly Buffer[];
  /** The plan whose kernels' hues they have. */
  backend: string;
  /** The graph whose memory eager is compared by. */
  graph: Graph | null;
  /** What tells them apart from other sections, if there are any. */
  children: ComponentChildren;
}

function Placement({ buffers, backend, graph, children }: PlacementProps) {
  const steps = stepsOf(buffers);
  const planned = placedOf(buffers);
  return (
    <section>
      {children && <h2 class="subhead">{children}</h2>}
      {planned.length > 0 && (
        <MemoryMap placed={planned} steps={steps} backend={backend} graph={graph} />
      )}
      <table class="table cards">
        <thead>
          <tr>
            <th scope="col">Buffer</th>
            <th scope="col">Type</th>
            <th scope="col" class="number">
              Size
            </th>
            <th scope="col" class="number">
              Offset
            </th>
            <th scope="col" class="life">
              Alive, of {plural(steps, "step")}
            </th>
          </tr>
        </thead>
        <tbody>
          {buffers.map((buffer) => (
            <BufferRow key={buffer.name} buffer={buffer} steps={steps} />
          ))}
        </tbody>
      </table>
      <p class="note">
        {planned.length > 0
          ? `${plural(planned.length, "buffer")} of ${bytes(totalOf(planned))} share ${bytes(extentOf(planned))}.`
          : NOTHING_KEPT}
      </p>
    </section>
  );
}

function BufferRow({ buffer, steps }: { buffer: Buffer; steps: number }) {
  const view = useRunView();
  const lit = buffer.nodes.some((node) => view.selection.value.nodes.has(node));
  const from = (buffer.first / steps) * 100;
  const width = ((buffer.last - buffer.first + 1) / steps) * 100;
  return (
    <tr class={lit ? "lit" : ""}>
      <th scope="row">
        <button class="row" onClick={() => select(view, new Set(buffer.nodes), "memory")}>
          <Name of={buffer.name} />
        </button>
      </th>
      <td data-label="Type">
        <code>{buffer.type}</code>
      </td>
      <td class="number short" data-label="Size">
        {bytes(buffer.bytes)}
      </td>
      <td class="number short" data-label="Offset">
        {placeOf(buffer)}
      </td>
      <td class="life" data-label="Alive">
        <svg
          width="100%"
          height="12"
          role="img"
          aria-label={`Steps ${buffer.first} to ${buffer.last}`}
        >
          <rect x={`${from}%`} width={`${width}%`} height="12" rx="2" />
        </svg>
      </td>
    </tr>
  );
}

/** Where a buffer lies: at its offset, or in the memory of the input whose new value it is. */
function placeOf({ offset, over }: Buffer): ComponentChildren {
  if (over)
    return (
      <>
        over <Name of={over} />
      </>
    );
  return offset === null ? "–" : bytes(offset);
}

/** What a forward graph keeps for the backward one. */
function Kept({ graph: { name, saved } }: { graph: Graph }) {
  const view = useRunView();
  return (
    <section>
      <h2 class="subhead">Kept by {name} for the backward pass</h2>
      <table class="table cards">
        <thead>
          <tr>
            <th scope="col">Value</th>
            <th scope="col">Type</th>
            <th scope="col" class="number">
              Size
            </th>
            <th scope="col">Lines</th>
          </tr>
        </thead>
        <tbody>
          {saved.map((value, index) => (
            <tr
              key={index}
              class={value.nodes.some((n) => view.selection.value.nodes.has(n)) ? "lit" : ""}
            >
              <th scope="row">
                <button class="row" onClick={() => select(view, new Set(value.nodes), "memory")}>
                  <Name of={value.name} />
                </button>
              </th>
              <td data-label="Type">
                <code>{value.type}</code>
              </td>
              <td class="number short" data-label="Size">
                {bytes(value.bytes)}
              </td>
              <td data-label="Lines">
                <Lines lines={value.lines} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="note">
        {plural(saved.length, "value")}, {bytes(totalOf(saved))} in all.
      </p>
    </section>
  );
}
