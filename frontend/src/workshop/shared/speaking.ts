/** Speaks y-protocols for a copy of the shared text: what is written here goes to the server a little
 * later, all at once, and what others wrote comes in. */
import { createDecoder, readVarUint, readVarUint8Array } from "lib0/decoding";
import {
  createEncoder,
  toUint8Array,
  writeVarUint,
  writeVarUint8Array,
  type Encoder,
} from "lib0/encoding";
import {
  applyAwarenessUpdate,
  encodeAwarenessUpdate,
  removeAwarenessStates,
} from "y-protocols/awareness";
import {
  messageYjsSyncStep1,
  messageYjsSyncStep2,
  readSyncStep1,
  writeSyncStep1,
  writeUpdate,
} from "y-protocols/sync";
import { applyUpdate, Doc, encodeStateAsUpdate, equalSnapshots, mergeUpdates, snapshot } from "yjs";
import type { Copy } from "./copy";

type Bytes = Uint8Array<ArrayBuffer>;

const SYNC = 0;
const PRESENCE = 1;
const PAUSE_MS = 40;

export interface Around {
  /** `isAnswered`: the server says something to it, if it hears it. */
  send: (frame: Bytes, isAnswered: boolean) => void;
  /** This page has all that the server has. */
  isHere: () => void;
  hasPen: () => boolean;
}

export class Speaking {
  private pending: Uint8Array[] = [];
  private timer: ReturnType<typeof setTimeout> | undefined;
  /** Whether the server was told what was written before: what is written now goes to it at once. */
  private isTold = false;
  /** What the server is known to have stored, deletions too. */
  private readonly stored = new Doc();
  /** What was here when it was last asked: as it answers it has that. */
  private asked = new Uint8Array();

  constructor(
    private readonly copy: Copy,
    private readonly around: Around,
  ) {
    copy.doc.on("update", this.wrote);
    copy.awareness.on("update", this.moved);
  }

  /** The line was lost: nobody's cursor is known, and all is said again when it is back. */
  cut(): void {
    const { awareness, doc } = this.copy;
    this.isTold = false;
    this.pending = [];
    const others = [...awareness.getStates().keys()].filter((id) => id !== doc.clientID);
    removeAwarenessStates(awareness, others, this);
  }

  /** Asks for what this page lacks, where the server need not be told what it has: of a new copy. */
  ask(): void {
    this.isTold = true;
    this.asked = encodeStateAsUpdate(this.copy.doc) as Bytes;
    this.send(SYNC, (encoder) => writeSyncStep1(encoder, this.copy.doc));
  }

  hear(frame: Bytes): void {
    const decoder = createDecoder(frame);
    if (readVarUint(decoder) === PRESENCE) {
      applyAwarenessUpdate(this.copy.awareness, readVarUint8Array(decoder), this);
      return;
    }
    const kind = readVarUint(decoder);
    if (kind === messageYjsSyncStep1) {
      const answer = createEncoder();
      writeVarUint(answer, SYNC);
      readSyncStep1(decoder, answer, this.copy.doc);
      this.around.send(toUint8Array(answer) as Bytes, false);
      this.pending = [];
      this.ask();
      return;
    }
    const update = readVarUint8Array(decoder);
    applyUpdate(this.copy.doc, update, this);
    applyUpdate(this.stored, update);
    if (kind !== messageYjsSyncStep2) return;
    applyUpdate(this.stored, this.asked);
    this.around.isHere();
    this.sayWhere();
  }

  /** Whether the server has all that is here. */
  isStored(): boolean {
    return equalSnapshots(snapshot(this.copy.doc), snapshot(this.stored));
  }

  stop(): void {
    clearTimeout(this.timer);
    this.stored.destroy();
    this.copy.doc.off("update", this.wrote);
    this.copy.awareness.off("update", this.moved);
  }

  private readonly wrote = (update: Uint8Array, origin: unknown) => {
    if (origin !== this) this.later(() => this.pending.push(update));
  };

  private readonly moved = (_: object, origin: unknown) => {
    if (origin === "local") this.later(() => (this.isMoved = true));
  };

  private isMoved = false;

  private later(note: () => void): void {
    note();
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      this.flush();
    }, PAUSE_MS);
  }

  /** What the server is not told while it is away, it asks for when it is back. */
  private flush(): void {
    const updates = this.pending;
    this.pending = [];
    if (updates.length > 0 && this.isTold)
      this.send(SYNC, (encoder) => writeUpdate(encoder, mergeUpdates(updates)));
    if (this.isMoved) this.sayWhere();
  }

  private sayWhere(): void {
    const { awareness, doc } = this.copy;
    this.isMoved = false;
    if (!this.isTold || !this.around.hasPen()) return;
    const update = encodeAwarenessUpdate(awareness, [doc.clientID]);
    this.send(PRESENCE, (encoder) => writeVarUint8Array(encoder, update));
  }

  private send(kind: number, write: (encoder: Encoder) => void): void {
    const encoder = createEncoder();
    writeVarUint(encoder, kind);
    write(encoder);
    this.around.send(toUint8Array(encoder) as Bytes, kind === SYNC);
  }
}
