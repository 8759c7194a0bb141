/** The shared text of a workshop while one is in it, whether it is shown or not. */
import { batch, computed, effect, signal } from "@preact/signals";
import { fromBase64, toBase64 } from "lib0/buffer";
import { applyUpdate, encodeStateAsUpdate } from "yjs";
import type { Lasting } from "../../net/lasting";
import { attendText } from "../../net/workshop";
import { read, write } from "../../store/kept";
import { notify } from "../../store/page";
import type { RunView } from "../../store/runview";
import { MAX_SOURCE_BYTES } from "../../wire";
import { problem } from "../attending";
import { Copy } from "./copy";
import { Speaking } from "./speaking";
import { hasPen, sharing } from "./state";

const KEPT = "fuselab.shared";
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

  constructor(private readonly code: string) {
    this.speaking = this.speak();
    this.bringBack();
    this.line = attendText(code, {
      bytes: (frame) => {
        this.heard();
        this.speaking.hear(frame);
      },
      refused: (why, isOfUpdate) => (isOfUpdate ? this.beginAgain(why) : (problem.value = why)),
      live: (isOpen) => this.changed(isOpen),
    });
    addEventListener("pagehide", this.keep);
  }

  end(): void {
    removeEventListener("pagehide", this.keep);
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
    copy.text.observe(() => (this.text.value = copy.text.toString()));
    return new Speaking(copy, {
      send: (frame, isAnswered) => {
        if (frame.length > MOST_BYTES) return this.beginAgain(TOO_LARGE);
        if (isAnswered) this.listen();
        this.line.send(frame);
      },
      isHere: () => {
        this.isHere.value = true;
        this.isAsking = false;
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

  /** What was written and perhaps not sent outlives a reload: it is merged when the page is back. */
  private readonly keep = () => {
    const all = encodeStateAsUpdate(this.copy.peek().doc);
    write("sessionStorage", `${KEPT}.${this.code}`, hasPen.peek() ? toBase64(all) : null);
  };

  private bringBack(): void {
    const kept = read("sessionStorage", `${KEPT}.${this.code}`);
    if (kept === null) return;
    write("sessionStorage", `${KEPT}.${this.code}`, null);
    applyUpdate(this.copy.peek().doc, fromBase64(kept), this);
  }
}
