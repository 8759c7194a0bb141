/** The fusion graph; what draws it, and the layout library, come when it is looked at. */
import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";

const PROBLEM = "The drawing could not be fetched. Reload the page to try again.";

export function FusionPane() {
  const [Graph, setGraph] = useState<ComponentType | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  useEffect(() => {
    import("./FusionGraph").then(
      ({ FusionGraph }) => setGraph(() => FusionGraph),
      () => setProblem(PROBLEM),
    );
  }, []);
  if (Graph) return <Graph />;
  return (
    <div class="pane empty">
      {problem === null ? (
        <p role="status" class="faint">
          Fetching the drawing
        </p>
      ) : (
        <p role="alert">{problem}</p>
      )}
    </div>
  );
}
