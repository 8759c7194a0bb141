/** Whether an element has come into sight; from then on it stays so. */
import type { RefObject } from "preact";
import { useEffect, useState } from "preact/hooks";

export function useSeen(of: RefObject<HTMLElement | null>): boolean {
  const [isSeen, setSeen] = useState(false);
  useEffect(() => {
    const looking = new IntersectionObserver((entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) setSeen(true);
    });
    looking.observe(of.current!);
    return () => looking.disconnect();
  }, []);
  return isSeen;
}
