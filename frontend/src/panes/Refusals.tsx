/** The edges that were not fused by their reasons, of each graph and plan. */
import { sectionsOf, type Section } from "../lib/plans";
import { byReason } from "../lib/refusals";
import { select } from "../store/choosing";
import { useRunView } from "../store/context";
import type { FusionRefusal, Program } from "../wire";
import { isNamed, SectionHead } from "./SectionHead";

/** Places of one reason that are shown at once. */
const FEW = 3;

export function Refusals({ program }: { program: Program }) {
  const view = useRunView();
  const refusals = program.fusion_refusals.filter(view.isShown.value);
  if (refusals.length === 0) return <p class="note">Every edge that could be fused was.</p>;
  return (
    <section aria-label={view.called("Not fused")}>
      <h2 class="subhead">Not fused ({refusals.length})</h2>
      {sectionsOf(program, refusals).map((section) => (
        <RefusalList key={section.key} section={section} />
      ))}
    </section>
  );
}

function RefusalList({ section }: { section: Section<FusionRefusal> }) {
  return (
    <>
      {isNamed(section) && (
        <h3 class="subhead">
          <SectionHead section={section} />
        </h3>
      )}
      <ul class="refusals">
        {byReason(section.entries).map(({ why, remedy, refusals }) => (
          <li key={why}>
            <details open={refusals.length <= FEW}>
              <summary>
                {why} ({refusals.length})
              </summary>
              {remedy !== "" && <p class="why">{remedy}</p>}
              <Edges refusals={refusals} why={why} />
            </details>
          </li>
        ))}
      </ul>
    </>
  );
}

function Edges({ refusals, why }: { refusals: readonly FusionRefusal[]; why: string }) {
  const view = useRunView();
  return (
    <ul>
      {refusals.map((refusal, index) => (
        <li key={index}>
          <button class="row" onClick={() => select(view, new Set(refusal.nodes), "kernels")}>
            <code>{refusal.from}</code> <span class="faint">→</span> <code>{refusal.to}</code>
            {refusal.reason !== why && <span class="why">{refusal.reason}</span>}
          </button>
        </li>
      ))}
    </ul>
  );
}
