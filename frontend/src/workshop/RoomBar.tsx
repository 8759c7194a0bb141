/** A workshop from inside: who is here, following the leader, what is handed out; for the leader the
 * wall of seats. */
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { useRunView } from "../store/context";
import { aside, putBack } from "./room/aside";
import { isLive, leader, room, setLocked, you } from "./room/attending";
import { Called } from "./room/Called";
import { goOnAt } from "./coming";
import { Comment } from "./Comment";
import { inRoom } from "./counting";
import { Course } from "./Course";
import { isAlong, turnAlong } from "./deck/paging";
import { ExercisesButton } from "./exercises/ExercisesButton";
import { comeAlong, isAwaited } from "./room/following";
import { other } from "./room/front";
import { giveOut, isHanded, take } from "./room/handing";
import { HandOuts } from "./HandOuts";
import { copyLink, Link } from "./Link";
import { Leaving } from "./Leaving";
import { More } from "./More";
import { picture } from "./picturing";
import { Wall } from "./Wall";

export function RoomBar() {
  const now = room.value;
  const [isWall, setWall] = useState(false);
  const view = useRunView();
  const title = useRef<HTMLElement>(null);
  useEffect(picture, []);
  useEffect(() => goOnAt(title.current), []);
  if (!now) return null;
  return (
    <>
      <div class="workshop-room">
        <strong ref={title} tabIndex={-1} title={now.title} hidden={!isLive.value}>
          {now.title}
        </strong>
        <span role="status" class="lost" title={now.title}>
          {!isLive.value && "Connection lost; trying again."}
        </span>
        <div class="workshop-acts">
          <button
            class="quiet code"
            title="Copy the link that others join by"
            onClick={() => void copyLink(`/w/${now.code}`)}
          >
            {now.code}
          </button>
          <button class="quiet seats" aria-expanded={isWall} onClick={() => setWall(!isWall)}>
            {inRoom(now.seats)}
          </button>
          <Course />
          <ExercisesButton />
          {you.value?.leads ? <Leading /> : <Attending />}
          <HandOuts />
        </div>
        {/* On a phone not in the row that is scrolled, where it would be out of sight. */}
        {aside.value.length > 0 && (
          <button class="quiet" onClick={() => putBack(view)}>
            Put my text back
          </button>
        )}
        <span class="spacer" />
        <More />
        <Leaving title={now.title} />
      </div>
      <Comment />
      <Link />
      {isWall && <Wall room={now} />}
    </>
  );
}

function Leading() {
  const view = useRunView();
  const now = room.value!;
  return (
    <>
      <button onClick={() => void giveOut(view)} title="All get what the editor holds now">
        Hand out
      </button>
      <button
        class="quiet"
        aria-pressed={now.locked}
        title="While the door is locked nobody new comes in"
        onClick={() => void setLocked(!now.locked)}
      >
        {now.locked ? "Unlock the door" : "Lock the door"}
      </button>
      <button
        class="quiet"
        title="Copy a link with which another machine of yours leads as well"
        onClick={() => void copyLink(now.lead_link)}
      >
        Leader link
      </button>
      <span role="status" class="faint" title="What you go to here next is followed instead">
        {other.value && `${other.value} is followed.`}
      </span>
    </>
  );
}

const FOLLOW = "F8";

function Attending() {
  const view = useRunView();
  // As soon as the button is there.
  useLayoutEffect(() => {
    const press = ({ key, repeat }: KeyboardEvent) => {
      if (key === FOLLOW && !repeat) void turnAlong();
    };
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, []);
  return (
    <>
      <button
        aria-pressed={isAlong.value}
        aria-keyshortcuts={FOLLOW}
        title={`${isAlong.value ? "Go your own way" : "Go where the leader goes"} (${FOLLOW})`}
        onClick={() => void turnAlong()}
      >
        {isAlong.value ? "Following " : "Follow "}
        <Called name={leader.value} />
      </button>
      <span role="status" class="handed">
        {isAwaited.value && (
          <>
            <Called name={leader.value} /> shows another run.
          </>
        )}
      </span>
      {isAwaited.value && (
        <button class="primary" title="What you write is kept" onClick={() => comeAlong(view)}>
          Go there
        </button>
      )}
      <span role="status" class="handed">
        {isHanded.value && (
          <>
            <Called name={leader.value} /> handed out a snippet.
          </>
        )}
      </span>
      {isHanded.value && (
        <button class="primary" onClick={() => void take(view)}>
          Open it
        </button>
      )}
    </>
  );
}
