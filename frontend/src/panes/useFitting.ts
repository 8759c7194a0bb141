/** Which of several wordings, the fullest first, a line has room for. */
import type { RefObject } from "preact";
import { useLayoutEffect, useState } from "preact/hooks";
import { useWidth } from "./useWidth";

/** The place among `wordings`; the last where none fits. `line` cuts what is too wide for it. */
export function useFitting(
  line: RefObject<HTMLElement | null>,
  wordings: readonly string[],
): number {
  const width = useWidth(line);
  const [at, setAt] = useState(0);
  useLayoutEffect(() => setAt(0), [width, wordings[0]]);
  useLayoutEffect(() => {
    const { scrollWidth, clientWidth } = line.current!;
    if (scrollWidth > clientWidth && at < wordings.length - 1) setAt(at + 1);
  });
  return at;
}
