/** A block of a page: text, or something live. */
import type { Block as Content } from "../../net/courses";
import { One } from "../exercises/One";
import { exercises } from "../exercises/state";
import { Run } from "./Run";
import { Snippet } from "./Snippet";

interface Props {
  block: Content;
  /** The numbers of its page and of itself in it, from 0. */
  place: string;
  /** Which of the page's snippets it is, if it is one. */
  number: number;
}

export function Block({ block, place, number }: Props) {
  switch (block.type) {
    case "html":
      // The server renders it with HTML off: webapp/workshops/courses/markdown.py.
      return <div class="deck-text" dangerouslySetInnerHTML={{ __html: block.html }} />;
    case "run":
      return <Run block={block} place={place} />;
    case "snippet":
      return <Snippet block={block} place={place} number={number} />;
    case "exercise":
      return <Exercise name={block.name} />;
  }
}

function Exercise({ name }: { name: string }) {
  const all = exercises.value;
  const found = all?.find((each) => each.name === name);
  return (
    <div class="deck-live">
      {found ? (
        <One exercise={found} leads={false} isInDeck />
      ) : (
        <p role="status" class="faint">
          {all === null ? "Fetching the exercise" : "This exercise was taken away."}
        </p>
      )}
    </div>
  );
}
