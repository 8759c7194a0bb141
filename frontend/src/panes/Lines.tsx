/** Line numbers of the snippet, each a way there. */
import { selectSourceLine } from "../store/actions";
import { goToLine } from "../store/navigation";

export function Lines({ lines }: { lines: readonly (number | null)[] }) {
  const known = lines.filter((line) => line !== null);
  return (
    <>
      {known.map((line) => (
        <button
          key={line}
          class="line-link"
          aria-label={`Line ${line}`}
          onClick={() => follow(line)}
        >
          {line}
        </button>
      ))}
    </>
  );
}

function follow(line: number): void {
  selectSourceLine(line);
  goToLine(line);
}
