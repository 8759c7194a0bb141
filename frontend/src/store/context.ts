/** The RunView that a part of the page belongs to. */
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { RunView } from "./runview";

const Context = createContext<RunView | null>(null);

export const RunProvider = Context.Provider;

export function useRunView(): RunView {
  const view = useContext(Context);
  if (view === null) throw new Error("no RunProvider stands above this component");
  return view;
}
