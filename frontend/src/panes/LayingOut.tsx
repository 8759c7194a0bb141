/** What is said while a drawing is laid out, and where it was not. */
import { useEffect, useState } from "preact/hooks";
import { plural } from "../lib/format";
import type { Layout } from "./useLayout";

interface Props {
  layout: Layout;
  boxes: number;
}

export function LayingOut({ layout: { isComing, problem, cancel, again }, boxes }: Props) {
  if (isComing) return <Coming boxes={boxes} onCancel={cancel} />;
  if (problem === null) return null;
  return (
    <p class="note fusion-coming" role="alert">
      Not laid out: {problem} <button onClick={again}>Lay out</button>
    </p>
  );
}

// What comes sooner needs no word.
const AFTER_MS = 300;

/** The library does not say how far it is: how large the drawing is, and how long it takes so far. */
function Coming({ boxes, onCancel }: { boxes: number; onCancel: () => void }) {
  const [seconds, setSeconds] = useState<number | null>(null);
  useEffect(() => {
    const start = performance.now();
    const tell = () => setSeconds(Math.floor((performance.now() - start) / 1000));
    const first = setTimeout(tell, AFTER_MS);
    const timer = setInterval(tell, 1000);
    return () => (clearTimeout(first), clearInterval(timer));
  }, []);
  if (seconds === null) return null;
  return (
    <p class="fusion-coming faint">
      <span role="status">Laying out {plural(boxes, "box")}</span>
      {seconds > 0 && <span class="number"> {seconds} s</span>}{" "}
      <button onClick={onCancel}>Cancel</button>
    </p>
  );
}
