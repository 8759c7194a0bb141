/** Shows and hides the exercises; there is none where nothing can be shown. */
import { room, you } from "../attending";
import { isShown } from "./state";

export function ExercisesButton() {
  const count = room.value?.exercises ?? 0;
  const passed = you.value?.passed ?? 0;
  const leads = you.value?.leads ?? false;
  if (count === 0 && !leads) return null;
  return (
    <button
      class="quiet"
      aria-expanded={isShown.value}
      onClick={() => (isShown.value = !isShown.value)}
    >
      {leads || count === 0 ? "Exercises" : `Exercises ${passed} of ${count}`}
    </button>
  );
}
