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

function follow(view: RunView, line: number): void {
  selectSourceLine(view, line);
  view.navigation.goToLine(line);
}
