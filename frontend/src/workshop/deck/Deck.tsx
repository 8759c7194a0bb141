/** The deck beside the panes, a page at a time: the leader turns it for all, the others for themselves
 * and back. */
import { useEffect, useRef } from "preact/hooks";
import { Icon } from "../../panes/Icon";
import { PHONE, useMedia } from "../../store/useMedia";
import { deckOpen } from "../../store/page";
import { leader, room } from "../room/attending";
import type { Block as Content } from "../../net/courses";
import { Block } from "./Block";
import { comeBack, deck, elsewhere, shown, turnTo } from "./paging";

const KEYS: Record<string, number> = { ArrowRight: 1, ArrowLeft: -1, PageDown: 1, PageUp: -1 };

export function Deck() {
  const whole = deck.value;
  const page = whole?.pages[shown.value];
  const section = useRef<HTMLElement>(null);
  useHeading(section, shown.value);
  const press = (event: KeyboardEvent) => {
    const step = KEYS[event.key];
    if (step === undefined || event.ctrlKey || event.altKey || event.metaKey || isOthers(event))
      return;
    event.preventDefault();
    void turnTo(shown.value + step);
  };
  useKeys(press);
  // On a phone it stands in the place of the panes.
  const role = useMedia(PHONE) ? "main" : "complementary";
  return (
    <section ref={section} class="deck" role={role} aria-label="Deck" data-stop onKeyDown={press}>
      <Head />
      <div class="deck-page" tabIndex={0} role="group" aria-label={page?.title ?? "A page"}>
        {page ? (
          page.blocks.map((block, at) => (
            <Block
              key={`${shown.value} ${at}`}
              block={block}
              place={`${shown.value} ${at}`}
              number={page.blocks.slice(0, at).filter(isSnippet).length + 1}
            />
          ))
        ) : (
          <p role="status" class="faint">
            Fetching the deck
          </p>
        )}
      </div>
    </section>
  );
}

const isSnippet = ({ type }: Content): boolean => type === "snippet";

function Head() {
  const pages = room.value?.deck?.pages ?? 0;
  const at = shown.value;
  return (
    <header class="deck-head">
      <button
        class="quiet"
        aria-label="Previous page"
        disabled={at === 0}
        onClick={() => void turnTo(at - 1)}
      >
        <Icon name="left" />
      </button>
      <span role="status">
        {at + 1} of {pages}
      </span>
      <button
        class="quiet"
        aria-label="Next page"
        disabled={at + 1 >= pages}
        onClick={() => void turnTo(at + 1)}
      >
        <Icon name="right" />
      </button>
      {elsewhere.value !== null && (
        <button onClick={comeBack}>
          To {leader.value}'s page ({elsewhere.value + 1})
        </button>
      )}
      <span class="spacer" />
      <button class="quiet" aria-label="Close the deck" onClick={() => (deckOpen.value = false)}>
        <Icon name="cross" />
      </button>
    </header>
  );
}

/** Keys that are nobody else's turn its pages too: with the focus nowhere, or on the workshop's bar. */
function useKeys(press: (event: KeyboardEvent) => void): void {
  useEffect(() => {
    const hear = (event: KeyboardEvent) => {
      if (isNobodys(event.target)) press(event);
    };
    document.addEventListener("keydown", hear);
    return () => document.removeEventListener("keydown", hear);
  });
}

const isNobodys = (target: EventTarget | null): boolean =>
  target === document.body ||
  (target instanceof HTMLElement && target.matches(".workshop-room :is(button, strong)"));

/** Who turns a page by keys goes to its heading with it, and to its top. */
function useHeading(section: { current: HTMLElement | null }, page: number): void {
  const before = useRef(page);
  useEffect(() => {
    if (before.current === page) return;
    before.current = page;
    const deck = section.current;
    deck?.querySelector(".deck-page")?.scrollTo(0, 0);
    const isInside = deck?.querySelector(".deck-page")?.contains(document.activeElement);
    if (isInside || document.activeElement?.matches("body, .workshop-room strong"))
      deck?.querySelector<HTMLElement>("h2")?.focus({ preventScroll: true });
  }, [page]);
}

/** What has a use of its own for these keys. */
const OWN_KEYS = ".deck-drawn, .deck-editor, .programs";

const isOthers = (event: KeyboardEvent): boolean =>
  event.defaultPrevented ||
  isWide(event) ||
  (event.target instanceof Element && event.target.closest(OWN_KEYS) !== null);

/** Whether the key moves what is too wide for its place. */
const isWide = ({ target, key }: KeyboardEvent): boolean =>
  key.startsWith("Arrow") &&
  target instanceof HTMLElement &&
  target.tagName === "PRE" &&
  target.scrollWidth > target.clientWidth;
