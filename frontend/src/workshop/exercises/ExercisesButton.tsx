/** Shows and hides the exercises; there is none where nothing can be shown. */
import { exercisesOpen } from "../../store/page";
import { room, you } from "../room/attending";
import { setExercises } from "../room/beside";

export function ExercisesButton() {
  const count = room.value?.exercises ?? 0;
  const passed = you.value?.passed ?? 0;
  const leads = you.value?.leads ?? false;
  if (count === 0 && !leads) return null;
  return (
    <button aria-pressed={exercisesOpen.value} onClick={() => setExercises(!exercisesOpen.value)}>
      {leads || count === 0 ? "Exercises" : `Exercises ${passed} of ${count}`}
    </button>
  );
}
