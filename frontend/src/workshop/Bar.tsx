/** The bar of a workshop under the page's own: its door, and when one is in, the room. */
import { useEffect, useState } from "preact/hooks";
import type { Result } from "../net/api";
import { getRoom, type Door as DoorView } from "../net/workshop";
import { useRunView } from "../store/context";
import { roomTitle, workshop } from "../store/page";
import { recallAside } from "./room/aside";
import { enter, forget } from "./entering";
import { problem, room } from "./room/attending";
import { Door } from "./Door";
import { Opening } from "./Opening";
import { knock } from "./knocking";
import { dropSecret, leadSecret } from "./leading";
import { RoomBar } from "./RoomBar";

export function WorkshopBar() {
  const view = useRunView();
  const code = workshop.value ?? "";
  const { door, failed } = useDoor(code);
  const isIn = room.value !== null;
  const title = room.value?.title ?? door?.title ?? "";
  useEffect(() => (room.value ? enter(view, room.value) : undefined), [isIn]);
  useEffect(() => {
    roomTitle.value = title;
    return () => void (roomTitle.value = "");
  }, [title]);
  return (
    <section class="workshop-bar" aria-label="Workshop" data-stop>
      {isIn ? <RoomBar /> : code === "" ? <Opening /> : door && <Door door={door} />}
      {!isIn && code !== "" && !door && !failed && <p role="status">Looking for the workshop</p>}
      <p role="alert" class="problem" hidden={!(problem.value ?? failed)}>
        {problem.value ?? failed}
      </p>
    </section>
  );
}

/** The door of a workshop; who has a seat, or a leader link, goes through it. */
function useDoor(code: string): { door: DoorView | null; failed: string | null } {
  const [door, setDoor] = useState<DoorView | null>(null);
  const [failed, setFailed] = useState<string | null>(null);
  const heard = (answer: Result<DoorView>) => {
    setFailed(answer.ok ? null : answer.error);
    if (!answer.ok) {
      // One that has ended is said once, and not on every page from here on.
      if (answer.status === 404) {
        recallAside(code);
        forget();
      }
      return;
    }
    setDoor(answer.value);
    if (answer.value.seated) void comeBack(answer.value.code);
  };
  useEffect(() => {
    if (code !== "" && room.value === null) return knock(code, heard);
  }, [code]);
  return { door, failed };
}

async function comeBack(code: string): Promise<void> {
  const answer = await getRoom(code);
  if (!answer.ok) {
    problem.value = answer.error;
    return;
  }
  const { you, seats } = answer.value;
  const leads = seats.some((seat) => seat.id === you && seat.leads);
  // Who has a seat and comes by a leader link is asked at the door whether to lead from here.
  if (leadSecret() !== "" && !leads) return;
  dropSecret();
  room.value = answer.value;
}
