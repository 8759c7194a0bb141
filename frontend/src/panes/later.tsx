/** A part of the page whose code is fetched when it is first wanted. */
import { signal } from "@preact/signals";
import type { ComponentType, FunctionComponent } from "preact";
import { useEffect } from "preact/hooks";

export interface Later<P> extends FunctionComponent<P> {
  /** Asks for the code, unless it is here or on its way. */
  fetch: () => void;
}

/** Stands for what `load` gives, and asks for it when it is first drawn. Its place says meanwhile that
 * `what`, as a reader knows it, is on its way; or that it could not be had. `place` are the classes
 * that give it its size. */
export function later<P extends object>(
  what: string,
  load: () => Promise<ComponentType<P>>,
  place = "pane empty",
): Later<P> {
  const part = signal<ComponentType<P> | null>(null);
  const state = signal<"unasked" | "coming" | "failed">("unasked");
  const fetch = () => {
    if (part.peek() || state.peek() === "coming") return;
    state.value = "coming";
    load().then(
      (found) => (part.value = found),
      () => (state.value = "failed"),
    );
  };
  function Part(properties: P) {
    useEffect(fetch, []);
    const Here = part.value;
    if (Here) return <Here {...properties} />;
    return <Awaited what={what} place={place} isFailed={state.value === "failed"} again={fetch} />;
  }
  return Object.assign(Part, { fetch });
}

interface AwaitedProps {
  what: string;
  place: string;
  isFailed: boolean;
  again: () => void;
}

/** As large as what it stands for: nothing moves when that is here. */
function Awaited({ what, place, isFailed, again }: AwaitedProps) {
  if (!isFailed) {
    return (
      <div class={`${place} coming`}>
        <p role="status" class="faint">
          Fetching {what}
        </p>
      </div>
    );
  }
  return (
    <div class={place}>
      <div role="alert">
        <p>
          The page could not fetch {what}. Check the connection; if that is well, reload the page.
        </p>
        <button onClick={again}>Retry</button>
      </div>
    </div>
  );
}
