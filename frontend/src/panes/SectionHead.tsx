/** Whose entries follow: of which graph, of which plan, and whether that plan ran. */
import { hasRun, labelOf, type Section } from "../lib/plans";
import { useRunView } from "../store/context";

/** Whether a section has anything to tell it apart from others. */
export const isNamed = ({ graph, backend }: Section<unknown>): boolean =>
  graph !== null || backend !== "";

/** Spaces between its words, for those who hear them. */
export function SectionHead({ section: { graph, backend } }: { section: Section<unknown> }) {
  const program = useRunView().program.value;
  return (
    <>
      {graph !== null && <span>{graph.name || graph.role} </span>}
      {backend !== "" && <span class="tag">{labelOf(backend)}</span>}
      {program && hasRun(program, backend) && <span class="ran"> ran</span>}
    </>
  );
}
