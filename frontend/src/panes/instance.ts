/** A pane of texts may stand several times in a dock: each has a name of its own. */
import { createContext } from "preact";
import { useContext } from "preact/hooks";

const Context = createContext<string | null>(null);

export const InstanceProvider = Context.Provider;

/** What the pane around is called; `pane` where it is the only one. */
export const useInstance = (pane: string): string => useContext(Context) ?? pane;

const SIGN = "~";

/** A name for one more of `pane`, that none of `taken` is. */
export function oneMore(pane: string, taken: (name: string) => boolean): string {
  let number = 2;
  while (taken(`${kindOf(pane)}${SIGN}${number}`)) number += 1;
  return `${kindOf(pane)}${SIGN}${number}`;
}

/** The pane that one of its name is one more of. */
export const kindOf = (name: string): string => name.split(SIGN)[0]!;

export const isOneMore = (name: string): boolean => name.includes(SIGN);
