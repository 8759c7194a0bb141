/** Whose run is seen below a snippet, and of which text, where the leader's is. */
import type { RunView } from "../../store/runview";
import { leader } from "../room/attending";

export function Theirs({ view, own }: { view: RunView; own: string }) {
  const text = view.run.value?.source ?? own;
  const isSame = text === own;
  return (
    <div class="deck-theirs" role="group" aria-label={`What ${leader.value} ran here`}>
      <p class="deck-state faint">
        {isSame
          ? `${leader.value} ran this:`
          : `${leader.value} ran this, and yours stays as it is:`}
      </p>
      {!isSame && <pre tabIndex={0}>{text}</pre>}
    </div>
  );
}
