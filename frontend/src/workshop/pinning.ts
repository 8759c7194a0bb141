/** What a workshop's runs have in common stands in everybody's options, whatever was opened or chosen
 * meanwhile. */
import { effect } from "@preact/signals";
import { roomOptions } from "../store/page";
import { setOptions } from "../store/running";
import type { RunView } from "../store/runview";
import type { Options } from "../wire";
import { room } from "./room/attending";

/** Until the returned function is called. */
export function pin(view: RunView): () => void {
  const end = effect(() => {
    const pinned = room.value?.options ?? {};
    roomOptions.value = pinned;
    const now = view.options.value;
    const names = Object.keys(pinned) as (keyof Options)[];
    if (names.some((name) => pinned[name] !== now[name])) setOptions(view, pinned);
  });
  return () => {
    end();
    roomOptions.value = {};
  };
}
