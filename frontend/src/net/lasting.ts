/** A WebSocket that is opened again whenever it is lost, until it is refused or ended. */
import { delayMs } from "../lib/backoff";

export interface Heard {
  /** A frame: text, or bytes. Whether it is what was hoped for, and no complaint. */
  frame: (data: string | ArrayBuffer) => boolean;
  /** Whether the line holds: something in between may open one that leads nowhere. */
  live: (isLive: boolean) => void;
  /** The server will not have this page. */
  refused: () => void;
}

export interface Lasting {
  /** Sends a frame; nowhere while the line is not open. */
  send: (frame: Uint8Array<ArrayBuffer>) => void;
  /** Gives up a line that seems dead, and opens another. */
  again: () => void;
  end: () => void;
}

const NETWORK = ["offline", "online"] as const;

/** `refusals` are the codes after which there is no point in coming again. */
export function lasting(path: string, refusals: ReadonlySet<number>, heard: Heard): Lasting {
  let socket: WebSocket | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let attempt = 0;
  const connect = () => {
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const mine = new WebSocket(`${scheme}://${location.host}${path}`);
    mine.binaryType = "arraybuffer";
    socket = mine;
    mine.onmessage = ({ data }) => {
      if (mine !== socket) return;
      if (!heard.frame(data as string | ArrayBuffer)) return;
      attempt = 0;
      heard.live(true);
    };
    mine.onclose = ({ code }) => {
      if (mine !== socket) return;
      if (refusals.has(code)) return heard.refused();
      heard.live(false);
      timer = setTimeout(connect, delayMs(attempt, Math.random()));
      attempt += 1;
    };
  };
  const drop = () => {
    clearTimeout(timer);
    const old = socket;
    socket = null;
    old?.close();
  };
  const again = () => {
    drop();
    heard.live(false);
    connect();
  };
  // Whether a line still holds when the network went or came is found out at once by a new one.
  for (const change of NETWORK) addEventListener(change, again);
  connect();
  return {
    send: (frame) => {
      if (socket?.readyState === WebSocket.OPEN) socket.send(frame);
    },
    again,
    end: () => {
      for (const change of NETWORK) removeEventListener(change, again);
      drop();
    },
  };
}
