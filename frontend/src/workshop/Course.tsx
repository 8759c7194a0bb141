/** What a workshop has besides its seats, in its bar: the deck, and the code for the projector. */
import { useEffect, useState } from "preact/hooks";
import { useRunView } from "../store/context";
import { deckOpen } from "../store/page";
import { room } from "./room/attending";
import { setDeck } from "./room/beside";
import { shown, watchDeck } from "./deck/paging";
import { pin } from "./pinning";
import { Projector } from "./Projector";

export function Course() {
  const now = room.value!;
  const [isLarge, setLarge] = useState(false);
  const view = useRunView();
  useEffect(watchDeck, []);
  useEffect(() => pin(view), [view]);
  return (
    <>
      <button
        class="quiet qr"
        title="Show the code and the link large"
        onClick={() => setLarge(true)}
      >
        QR code
      </button>
      {now.deck && (
        <button aria-pressed={deckOpen.value} onClick={() => setDeck(!deckOpen.value)}>
          Deck {shown.value + 1} of {now.deck.pages}
        </button>
      )}
      {isLarge && <Projector code={now.code} close={() => setLarge(false)} />}
    </>
  );
}
