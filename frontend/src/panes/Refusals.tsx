/** The edges that were not fused, with their reasons, by graph and plan. */
import { sectionsOf, type Section } from "../lib/plans";
import { select } from "../store/choosing";
import { useRunView } from "../store/context";
import type { FusionRefusal, Program } from "../wire";
import { isNamed, SectionHead } from "./SectionHead";

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
  const view = useRunView();
  return (
    <>
      {isNamed(section) && (
        <h3 class="subhead">
          <SectionHead section={section} />
        </h3>
      )}
      <ul class="refusals">
        {section.entries.map((refusal, index) => (
          <li key={index}>
            <button class="row" onClick={() => select(view, new Set(refusal.nodes), "kernels")}>
              <code>{refusal.from}</code> <span class="faint">→</span> <code>{refusal.to}</code>
              <span class="why">{refusal.reason}</span>
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}
