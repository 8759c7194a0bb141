/** What the compilers made of every edge of the captured graph, side by side; and what each came to. */
import { useMemo, useState } from "preact/hooks";
import { agreement, compared, edgesOf, isDisputed } from "../lib/agreement";
import { PHONE, useMedia } from "../store/useMedia";
import { useRunView } from "../store/context";
import { Empty } from "./Empty";
import { PlanSwitch } from "./PlanSwitch";
import { TableView } from "./TableView";

const VIEWS = { fusions: "Fusions", compilers: "Compilers" } as const;
type View = keyof typeof VIEWS;

export function AgreementPane() {
  const { program, onePlan } = useRunView();
  const [shown, setShown] = useState<View>("fusions");
  const [disputed, setDisputed] = useState(false);
  const current = program.value;
  const plan = onePlan.value;
  const onPhone = useMedia(PHONE);
  const edges = useMemo(() => (current ? edgesOf(current, plan) : []), [current, plan]);
  const table = useMemo(() => {
    if (!current) return null;
    if (shown === "compilers") return compared(current, edges);
    return agreement(current, disputed ? edges.filter(isDisputed) : edges, onPhone);
  }, [current, edges, plan, shown, disputed, onPhone]);
  if (!table || (edges.length === 0 && Object.keys(current?.timings ?? {}).length === 0))
    return <Empty pane="agreement" />;
  return (
    <TableView key={shown} table={table} file={`${shown}.csv`}>
      <div class="switch" role="group" aria-label="What is compared">
        {(Object.keys(VIEWS) as View[]).map((view) => (
          <button key={view} aria-pressed={view === shown} onClick={() => setShown(view)}>
            {VIEWS[view]}
          </button>
        ))}
      </div>
      {shown === "fusions" && (
        <label class="check">
          <input
            type="checkbox"
            checked={disputed}
            onChange={(event) => setDisputed(event.currentTarget.checked)}
          />
          Only where they differ
        </label>
      )}
      <PlanSwitch />
    </TableView>
  );
}
