/** All that was handed out in the workshop, each to be opened as a text of one's own. */
import { useEffect, useState } from "preact/hooks";
import { getHandOuts, type HandOut } from "../net/workshop";
import { Menu } from "../shell/Menu";
import { useRunView } from "../store/context";
import { problem, room } from "./room/attending";
import { take } from "./room/handing";

export function HandOuts() {
  const count = room.value?.handed_out ?? 0;
  if (count === 0) return null;
  return (
    <Menu label={`Handed out: ${count}`} name="What was handed out" class="quiet">
      {(close) => <All count={count} close={close} />}
    </Menu>
  );
}

function All({ count, close }: { count: number; close: () => void }) {
  const view = useRunView();
  const all = useHandOuts(count);
  if (all === null) return <p role="status">Fetching what was handed out</p>;
  return (
    <>
      {all.map(({ number, title, at }, place) => (
        <button
          key={number}
          ref={place === 0 ? focus : null}
          role="menuitem"
          tabIndex={-1}
          onClick={() => (void take(view, number), close())}
        >
          {number}. {title} <small>{TIME.format(new Date(at))}</small>
        </button>
      ))}
    </>
  );
}

/** They come after the menu was opened, which would have gone to the first. */
const focus = (item: HTMLElement | null): void => item?.focus();

const TIME = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });

/** Null until they came. */
function useHandOuts(count: number): readonly HandOut[] | null {
  const [all, setAll] = useState<readonly HandOut[] | null>(null);
  const code = room.value!.code;
  useEffect(() => {
    void getHandOuts(code).then((answer) => {
      problem.value = answer.ok ? null : answer.error;
      setAll(answer.ok ? answer.value.handouts : []);
    });
  }, [code, count]);
  return all;
}
