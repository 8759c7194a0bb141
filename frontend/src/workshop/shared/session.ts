/** The shared text of a workshop while one is in it, whether it is shown or not. */
import { batch, computed, effect, signal } from "@preact/signals";
import { applyUpdate, encodeStateAsUpdate } from "yjs";
import type { Lasting } from "../../net/lasting";
import { attendText } from "../../net/workshop";
import { notify } from "../../store/page";
import type { RunView } from "../../store/runview";
import { MAX_SOURCE_BYTES } from "../../wire";
import { problem, room } from "../room/attending";
import { Copy } from "./copy";
import { Speaking } from "./speaking";
import { hasPen, sharing } from "./state";
import { Unsent } from "./unsent";

// What is written goes to the server in far less.
const KEEP_MS = 500;
// What was sent comes back when it is stored; a line on which it does not is dead.
const SILENCE_MS = 8000;
// The server takes no larger frame (webapp/serve.py).
const MOST_BYTES = MAX_SOURCE_BYTES + 2 ** 16;
const TOO_LARGE = "What was written is too large for the shared text.";

/** Has the shared text of this workshop at hand, until the returned function is called. */
export function begin(view: RunView, code: string): () => void {
  const session = new Session(code);
  sharing.value = session;
  let had = hasPen.peek();
  const end = effect(() => {
    if (hasPen.value && !had) notify("You have the pen of the shared text.");
    had = hasPen.value;
  });
  return () => {
    end();
    view.shared.value = null;
    sharing.value = null;
    session.end();
  };
}

class Session {
  readonly copy = signal(new Copy());
  readonly text = signal("");
  readonly refused = signal<{ text: string; why: string } | null>(null);
  private readonly isOpen = signal(false);
  private readonly isHere = signal(false);
  readonly isLive = computed(() => this.isOpen.value && this.isHere.value);
  /** Whether a new copy waits for what all see. */
  private isAsking = false;
  private silence: ReturnType<typeof setTimeout> | undefined;
  private speaking: Speaking;
  private readonly line: Lasting;
  private readonly unsent: Unsent;
  private keeping: ReturnType<typeof setTimeout> | undefined;

  constructor(code: string) {
    this.unsent = new Unsent(code, room.peek()!.you);
    this.speaking = this.speak();
    for (const update of this.unsent.left()) applyUpdate(this.copy.peek().doc, update, this);
    this.line = attendText(code, {
      bytes: (frame) => {
        this.heard();
        this.speaking.hear(frame);
      },
      refused: (why, isOfUpdate) => (isOfUpdate ? this.beginAgain(why) : (problem.value = why)),
      live: (isOpen) => this.changed(isOpen),
    });
    addEventListener("pagehide", this.keep);
    addEventListener("beforeunload", this.askToStay);
  }

  end(): void {
    removeEventListener("pagehide", this.keep);
    removeEventListener("beforeunload", this.askToStay);
    this.keep();
    this.heard();
    this.line.end();
    this.speaking.stop();
    this.copy.peek().destroy();
  }

  private changed(isOpen: boolean): void {
    this.isOpen.value = isOpen;
    if (isOpen) return;
    this.heard();
    this.isHere.value = false;
    this.speaking.cut();
  }

  private speak(): Speaking {
    const copy = this.copy.peek();
    copy.text.observe((_, { local }) => {
      this.text.value = copy.text.toString();
      if (local) this.keeping ??= setTimeout(this.keep, KEEP_MS);
    });
    return new Speaking(copy, {
      send: (frame, isAnswered) => {
        if (frame.length > MOST_BYTES) return this.beginAgain(TOO_LARGE);
        if (isAnswered) this.listen();
        this.line.send(frame);
      },
      isHere: () => {
        this.isHere.value = true;
        this.isAsking = false;
        this.unsent.forgetLeft();
        this.keep();
      },
      hasPen: () => hasPen.peek(),
    });
  }

  /** What this copy has that others never will keeps it from all that follows: another takes its
   * place, and what was written is kept. */
  private beginAgain(why: string): void {
    if (this.isAsking) return;
    this.isAsking = true;
    const old = this.copy.peek();
    this.refused.value = { text: old.text.toString(), why };
    this.isHere.value = false;
    this.unsent.keep(old.doc.clientID, null);
    this.speaking.stop();
    batch(() => {
      this.copy.value = new Copy();
      this.text.value = "";
    });
    this.speaking = this.speak();
    this.speaking.ask();
    old.destroy();
  }

  /** Awaits an answer to what was just sent. */
  private listen(): void {
    this.silence ??= setTimeout(() => this.line.again(), SILENCE_MS);
  }

  private heard(): void {
    clearTimeout(this.silence);
    this.silence = undefined;
  }

  /** What was written and is not stored yet outlives the tab. Returns whether it does. */
  private readonly keep = (): boolean => {
    clearTimeout(this.keeping);
    this.keeping = undefined;
    const { doc } = this.copy.peek();
    return this.unsent.keep(
      doc.clientID,
      this.speaking.isStored() ? null : encodeStateAsUpdate(doc),
    );
  };

  private readonly askToStay = (event: BeforeUnloadEvent) => {
    if (!this.keep()) event.preventDefault();
  };
}
