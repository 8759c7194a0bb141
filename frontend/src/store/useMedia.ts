/** Whether a media query holds, kept up to date. */
import { useEffect, useState } from "preact/hooks";

/** Where the panes have no room beside each other: a phone, or a page zoomed to twice its size. */
export const PHONE = "(max-width: 700px), (max-height: 480px)";

export function useMedia(query: string): boolean {
  const [holds, setHolds] = useState(() => matchMedia(query).matches);
  useEffect(() => {
    const list = matchMedia(query);
    const changed = () => setHolds(list.matches);
    list.addEventListener("change", changed);
    return () => list.removeEventListener("change", changed);
  }, [query]);
  return holds;
}
