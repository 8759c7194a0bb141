/** Line numbers of the snippet, each a way there. */
import { selectSourceLine } from "../store/choosing";
import { useRunView } from "../store/context";
import type { RunView } from "../store/runview";

export function Lines({ lines }: { lines: readonly (number | null)[] }) {
  const view = useRunView();
  const known = lines.filter((line) => line !== null);
  return (
    <>
      {known.map((line) => (
        <button
          key={line}
          class="line-link"
          aria-label={`Line ${line}`}
          onClick={() => follow(view, line)}
        >
          {line}
        </button>
      ))}
    </>
  );
}

/** The line that a sentence speaks of, behind it; nothing where it speaks of none. */
export function AtLine({ line }: { line: number | null }) {
  if (line === null) return null;
  return (
    <span class="at-line">
      <span class="faint">line </span>
      <Lines lines={[line]} />
    </span>
  );
}

function follow(view: RunView, line: number): void {
  selectSourceLine(view, line);
  view.navigation.goToLine(line);
}
