/** The deck of a workshop: fetched once, and the page that is looked at. */
import { batch, computed, effect, signal } from "@preact/signals";
import { getDeck, turnPage, type Deck } from "../../net/courses";
import { deckOpen } from "../../store/page";
import { changed, problem, room, you } from "../room/attending";
import { goAlong } from "../room/beside";
import { follows, setFollows } from "../room/following";
import { load, onPage } from "../exercises/state";
import { afterTelling } from "../room/telling";
import { forgetViews } from "./lives";

/** The whole deck; null until it is here. */
export const deck = signal<Deck | null>(null);

/** The page that one has turned to; null while one is where the leader is. */
export const own = signal<number | null>(null);

/** The leader's own turn, by the server's count; Infinity until it is answered. Until the room is told of
 * it they see the page that they turned to. */
const turned = signal(0);
let asked = 0;

/** The pages that they turned to since all was answered, how many of these turns are not, and how many there
 * were before. */
let turning = { pages: [] as readonly number[], left: 0, before: 0 };

const led = computed(() => room.value?.deck?.page ?? 0);

/** The page that is shown, from 0. */
export const shown = computed(() => own.value ?? led.value);

/** The page at which the leader is, where one is at another. */
export const elsewhere = computed(() => (shown.value === led.value ? null : led.value));

function exerciseThere(): string {
  const blocks = deck.value?.pages[shown.value]?.blocks ?? [];
  return blocks.flatMap((each) => (each.type === "exercise" ? [each.name] : []))[0] ?? "";
}

/** Whether one follows, and did not turn to another page by oneself. */
export const isAlong = computed(() => follows.value && elsewhere.value === null);

/** By which turn of the leader's whoever follows was taken along; null for who does not. What else the
 * room is told of takes nobody from the page that they look at. */
const takenBy = computed(() => (follows.value ? (room.value?.deck?.turns ?? 0) : null));

/** What the leader does in the deck, and whether they went to the panes since, as one text. */
const doneInDeck = computed(() => {
  const now = room.value?.deck;
  return `${led.value} ${JSON.stringify(now?.ran)} ${now?.latest}`;
});

const edition = computed(() => {
  const now = room.value;
  return now?.deck ? `${now.code} ${now.deck.edition}` : "";
});

/** Fetches the deck of the workshop that one is in, and that of every other course it is given. */
export function watchDeck(): () => void {
  turning = { pages: [], left: 0, before: 0 };
  const end = effect(() => {
    const [code = ""] = edition.value.split(" ");
    forgetViews();
    batch(() => {
      deck.value = null;
      own.value = null;
      deckOpen.value = code !== "";
    });
    if (code !== "") void fetchDeck(code, edition.value);
  });
  const along = effect(() => {
    if (takenBy.value !== null) own.value = null;
  });
  // Who leads is where all are once their turn was told, which is later than they turned the page; where
  // another machine of theirs has turned since, that is not the page that they turned to.
  const arrived = effect(() => {
    const { page = 0, turns = 0 } = room.value?.deck ?? {};
    if (you.value?.leads && (turns >= turned.value || isOthers(page, turns))) own.value = null;
  });
  const exercise = effect(() => void (onPage.value = exerciseThere()));
  // On a phone they see what the leader went to last: a page or what was run on one, or the panes.
  let before = doneInDeck.peek();
  const ahead = effect(() => {
    if (doneInDeck.value !== before && you.peek()?.follows)
      goAlong(room.peek()?.deck?.latest ?? false);
    before = doneInDeck.value;
  });
  return () => {
    end();
    along();
    arrived();
    exercise();
    ahead();
    deckOpen.value = false;
  };
}

async function fetchDeck(code: string, of: string): Promise<void> {
  const [answer] = await Promise.all([getDeck(code), load()]);
  if (edition.peek() !== of) return;
  if (answer.ok) deck.value = answer.value;
  else problem.value = answer.error;
}

/** Turns to a page: the leader for all, others for themselves. */
export async function turnTo(page: number): Promise<void> {
  const now = room.value;
  if (!now?.deck || page < 0 || page >= now.deck.pages) return;
  own.value = page;
  if (!you.value?.leads) {
    if (page === led.value) own.value = null;
    return;
  }
  await lead(now.code, page);
}

/** Has all turn to a page. What was asked for last is what counts; where it could not be done, the leader
 * is where all are. */
async function lead(code: string, page: number): Promise<void> {
  const number = ++asked;
  turned.value = Infinity;
  if (turning.left === 0) turning = { pages: [], left: 0, before: room.peek()?.deck?.turns ?? 0 };
  const now = turning;
  now.pages = [...now.pages, page];
  now.left += 1;
  // Who went to the panes before is in the deck again.
  const answer = await changed(afterTelling(() => turnPage(code, page)));
  now.left -= 1;
  if (number === asked) turned.value = answer.ok ? answer.value.deck!.turns : 0;
}

/** Whether a turn that was told is of another machine, while those of this one are not all answered. */
const isOthers = (page: number, turns: number): boolean =>
  turning.left > 0 && turns > turning.before && !turning.pages.includes(page);

/** Comes back to where the leader is. */
export const comeBack = (): void => void (own.value = null);

/** Goes along with the leader, in the deck as well; one's own way for who does already. */
export function turnAlong(): Promise<void> {
  const isLeaving = isAlong.peek();
  if (!isLeaving) comeBack();
  return setFollows(!isLeaving);
}
