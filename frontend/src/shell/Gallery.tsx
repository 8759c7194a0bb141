/** The gallery over the page: chapters in the order in which they teach, what an example is about, and
 * a search. Walked with the arrow keys; Enter opens. */
import { useEffect, useRef, useState } from "preact/hooks";
import { FRAMEWORKS, found, type Example } from "../lib/gallery";
import { plural } from "../lib/format";
import { Chapters } from "../panes/Chapters";
import { Coded } from "../panes/Coded";
import { Icon } from "../panes/Icon";
import { paneOf } from "../panes/registry";
import { useRunView } from "../store/context";
import { openExample, runExample } from "../store/examples";
import { examples, galleryAt, loadExamples } from "../store/page";

export function Gallery() {
  const view = useRunView();
  const dialog = useRef<HTMLDialogElement>(null);
  const search = useRef<HTMLInputElement>(null);
  const [query, setQuery] = useState("");
  const [problem, setProblem] = useState<string | null>(null);
  const all = examples.value;
  const shown = found(all, query);
  const at = all.find(({ name }) => name === galleryAt.value);
  useEffect(() => {
    dialog.current?.showModal();
    search.current?.focus();
    if (all.length === 0) void loadExamples().then(setProblem);
  }, []);
  return (
    <dialog
      ref={dialog}
      class={at ? "gallery at-one" : "gallery"}
      aria-labelledby="gallery-title"
      onClose={() => (galleryAt.value = null)}
    >
      <header class="gallery-head">
        <h2 id="gallery-title">Examples</h2>
        <input
          type="search"
          aria-label="Search the examples"
          placeholder="Search: softmax, break, bf16"
          spellcheck={false}
          ref={search}
          onInput={(event) => setQuery(event.currentTarget.value)}
        />
        <span class="faint" role="status">
          {problem ?? (query && `${shown.length} of ${plural(all.length, "example")}`)}
        </span>
        <span class="spacer" />
        <button
          class="quiet"
          aria-label="Close the examples"
          onClick={() => dialog.current?.close()}
        >
          <Icon name="cross" />
        </button>
      </header>
      <div class="gallery-body">
        <Chapters
          examples={shown}
          at={at?.name ?? ""}
          onLook={({ name }) => (galleryAt.value = name)}
          onOpen={(example) => openExample(view, example)}
        />
        {at ? <About example={at} /> : <Invitation />}
      </div>
    </dialog>
  );
}

const Invitation = () => (
  <div class="gallery-about">
    <p class="faint">
      Each is a program to run, with something to look at and something to try. The chapters are in
      the order in which one builds on another.
    </p>
  </div>
);

function About({ example }: { example: Example }) {
  const view = useRunView();
  const { title, framework, chapter, says, look, pane, attempt, source } = example;
  const section = useRef<HTMLElement>(null);
  // Where it takes the list's place, the keyboard goes with it.
  useEffect(() => {
    if (!document.activeElement?.checkVisibility()) section.current?.focus();
  }, [example]);
  return (
    <section ref={section} class="gallery-about" aria-label={title} tabIndex={0}>
      <button class="gallery-back" onClick={() => (galleryAt.value = "")}>
        <Icon name="left" /> All examples
      </button>
      <p class="faint">
        {chapter} · {FRAMEWORKS[framework]}
      </p>
      <h3>{title}</h3>
      <p>
        <Coded text={says} />
      </p>
      <p>
        <b>Look.</b> <Coded text={look} /> <span class="faint">({paneOf(pane)?.title})</span>
      </p>
      <p>
        <b>Try.</b> <Coded text={attempt} />
      </p>
      <div class="gallery-do">
        <button class="primary" onClick={() => runExample(view, example)}>
          <Icon name="run" /> Open and run
        </button>
        <button onClick={() => openExample(view, example)}>Open</button>
      </div>
      <pre tabIndex={0} aria-label={`The text of ${title}`}>
        {source}
      </pre>
    </section>
  );
}
