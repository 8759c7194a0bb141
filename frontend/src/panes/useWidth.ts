/** The width of an element, as it is now; for what is drawn to fit. */
import type { RefObject } from "preact";
import { useEffect, useState } from "preact/hooks";

/** Pixels; `first` until it is known, and while the element is hidden. */
export function useWidth(of: RefObject<HTMLElement | null>, first = 480): number {
  const [width, setWidth] = useState(first);
  useEffect(() => {
    const sized = new ResizeObserver(([entry]) => setWidth(entry?.contentRect.width || first));
    sized.observe(of.current!);
    return () => sized.disconnect();
  }, []);
  return width;
}
