/** The places of a drawing, once they are known; until then those of the last one stay. */
import { useEffect, useState } from "preact/hooks";
import type { Drawing } from "../graph/parts";
import { placed } from "../graph/elk";
import type { Placed } from "../graph/layout";

export interface Laid {
  drawing: Drawing;
  placed: Placed;
}

export interface Layout {
  laid: Laid | null;
  isComing: boolean;
  problem: string | null;
  /** Whoever does not want to wait: the last drawing stays. */
  cancel: () => void;
  again: () => void;
}

interface Failed {
  drawing: Drawing;
  problem: string;
}

const CANCELLED = "cancelled";

export function useLayout(drawing: Drawing): Layout {
  const [laid, setLaid] = useState<Laid | null>(null);
  const [failed, setFailed] = useState<Failed | null>(null);
  const problem = failed?.drawing === drawing ? failed.problem : null;
  const isComing = laid?.drawing !== drawing && problem === null;
  useEffect(() => {
    if (!isComing) return;
    const wanted = new AbortController();
    const { signal } = wanted;
    placed(drawing, signal).then(
      (found) => signal.aborted || setLaid({ drawing, placed: found }),
      (error) => signal.aborted || setFailed({ drawing, problem: String(error) }),
    );
    return () => wanted.abort();
  }, [drawing, isComing]);
  const cancel = () => setFailed({ drawing, problem: CANCELLED });
  return { laid, isComing, problem, cancel, again: () => setFailed(null) };
}
