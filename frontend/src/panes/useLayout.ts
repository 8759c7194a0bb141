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
}

export function useLayout(drawing: Drawing): Layout {
  const [laid, setLaid] = useState<Laid | null>(null);
  const [failed, setFailed] = useState<{ drawing: Drawing; problem: string } | null>(null);
  useEffect(() => {
    let isWanted = true;
    placed(drawing).then(
      (found) => isWanted && setLaid({ drawing, placed: found }),
      (error) => isWanted && setFailed({ drawing, problem: String(error) }),
    );
    return () => void (isWanted = false);
  }, [drawing]);
  const problem = failed?.drawing === drawing ? failed.problem : null;
  return { laid, isComing: laid?.drawing !== drawing && problem === null, problem };
}
