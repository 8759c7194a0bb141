/** Buttons by which a person decides in the compiler's stead: an edge, a pass. */
import type { Edge } from "../graph/edges";
import { aboutTheSame } from "../lib/deciding";
import type { Override } from "../lib/overrides";
import { useRunView } from "../store/context";
import { decide, leave } from "../store/whatif";
import type { Stage } from "../wire";

/** What was decided of the edge, else what can be: to keep apart what is fused, or to fuse it. */
export function EdgeButton({ edge: { from, to, isFused } }: { edge: Edge }) {
  const view = useRunView();
  const apart: Override = { type: "forbid", from, to, program: view.programIndex.value };
  const set = view.options.value.overrides.find((other) => aboutTheSame(other, apart));
  const forbids = set ? set.type === "forbid" : isFused;
  const text = forbids ? "Forbid" : "Force";
  return (
    <Button
      override={forbids ? apart : { ...apart, type: "force" }}
      text={text}
      does={`${text} to fuse ${from} → ${to}`}
    />
  );
}

/** Nothing for what is no pass of the core's. */
export function PassButton({ stage }: { stage: Stage | null }) {
  if (stage?.kind !== "pass" || stage.compiler !== "") return null;
  const { name } = stage;
  return (
    <Button override={{ type: "without", name }} text="Switch off" does={`Switch off ${name}`} />
  );
}

interface Props {
  override: Override;
  text: string;
  does: string;
}

/** Pressed while the next run is to have it, or something else about the same. */
function Button({ override, text, does }: Props) {
  const view = useRunView();
  const set = view.options.value.overrides.find((other) => aboutTheSame(other, override));
  if (view.isReader) return null;
  return (
    <button
      class="bar-button decide"
      aria-pressed={set !== undefined}
      aria-label={does}
      title={set ? "Set for the next run; press again to leave it to the compiler" : does}
      onClick={() => (set ? leave(view, set) : decide(view, override))}
    >
      {text}
    </button>
  );
}
