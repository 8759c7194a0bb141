/** What the leader says of the work at a seat; with it goes, if they like, that work as they changed it in
 * their own editor. */
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Seat } from "../net/workshop";
import { useRunView } from "../store/context";
import { notify } from "../store/page";
import { sendBack, takeTheirs } from "./room/handing";

export function SendingBack({ seat, done }: { seat: Seat; done: () => void }) {
  const view = useRunView();
  const [withText, setWithText] = useState(false);
  const comment = useRef<HTMLInputElement>(null);
  // At once, before a letter that is typed next is a key of the page's; and once: the room changes while
  // its leader writes elsewhere.
  useLayoutEffect(() => comment.current?.focus(), []);
  const { id, name, run } = seat;
  const edit = async (of: string) => {
    await takeTheirs(view, of);
    setWithText(true);
  };
  const send = async (event: SubmitEvent) => {
    event.preventDefault();
    const fields = new FormData(event.currentTarget as HTMLFormElement);
    const text = withText ? view.written.peek() : undefined;
    if (await sendBack(id, String(fields.get("comment")), text)) {
      notify(`Sent to ${name}.`);
      done();
    }
  };
  return (
    <form class="workshop-form sending-back" onSubmit={(event) => void send(event)}>
      <input
        name="comment"
        aria-label={`Comment for ${name}`}
        required
        maxLength={500}
        placeholder="Comment"
        defaultValue={seat.comment}
        ref={comment}
      />
      <button>Send</button>
      {run && (
        <button
          type="button"
          class="quiet"
          title={`Puts what ${name} ran last into your editor; what stands there can be put back`}
          onClick={() => void edit(run.id)}
        >
          Edit their text
        </button>
      )}
      <label>
        <input
          type="checkbox"
          checked={withText}
          onChange={({ currentTarget }) => setWithText(currentTarget.checked)}
        />{" "}
        with what my editor holds
      </label>
    </form>
  );
}
