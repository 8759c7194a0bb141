/** The exercises of a workshop: a list with how far one is, and the one that is looked at. */
import { useEffect, useState } from "preact/hooks";
import { Icon } from "../../panes/Icon";
import type { Exercise } from "../../net/exercises";
import { PHONE, useMedia } from "../../store/useMedia";
import { room, you } from "../room/attending";
import { Adding } from "./Adding";
import { Board } from "./Board";
import { One } from "./One";
import { chosen, exercises, load, onPage } from "./state";

export function Exercises() {
  const leads = you.value?.leads ?? false;
  const count = room.value?.exercises ?? 0;
  // On a phone it stands in the place of the panes.
  const role = useMedia(PHONE) ? "main" : "complementary";
  useEffect(() => void load(), [count]);
  // Of the page at which it was opened: what somebody reads does not change as pages are turned.
  const [there] = useState(() => onPage.peek());
  const all = exercises.value;
  const named = (wanted: string) => all?.find(({ name }) => name === wanted);
  const shown = named(chosen.value) ?? named(there) ?? all?.[0];
  return (
    <section class="exercises" role={role} aria-label="Exercises" data-stop>
      {all === null && <p role="status">Fetching the exercises</p>}
      {all?.length === 0 && <Nothing leads={leads} />}
      {all !== null && all.length > 0 && (
        <div class="exercises-parts">
          <ol class="exercises-list">
            {all.map((each) => (
              <li key={each.name}>
                <Entry exercise={each} isShown={each === shown} />
              </li>
            ))}
          </ol>
          {shown && <One key={shown.name} exercise={shown} leads={leads} />}
        </div>
      )}
      {(leads || room.value?.board) && count > 0 && <Board leads={leads} />}
      {leads && all !== null && <Adding isFirst={all.length === 0} />}
    </section>
  );
}

function Entry({ exercise, isShown }: { exercise: Exercise; isShown: boolean }) {
  const { name, title, passed, attempts } = exercise;
  const state = passed ? "passed" : attempts > 0 ? "tried" : "";
  return (
    <button
      class={isShown ? "quiet chosen" : "quiet"}
      aria-current={isShown}
      onClick={() => (chosen.value = name)}
    >
      <span>{title}</span>
      {state !== "" && (
        <span class={passed ? "good" : "faint"}>
          {passed && <Icon name="check" />} {state}
        </span>
      )}
    </button>
  );
}

const Nothing = ({ leads }: { leads: boolean }) => (
  <p class="faint">
    {leads
      ? "There are no exercises yet. An exercise is a text, a snippet to start from, and checks that the server holds against the report of a run: write one below."
      : "There are no exercises yet. They appear here when the leader adds some."}
  </p>
);
