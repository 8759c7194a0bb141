import { afterEach, expect, test, vi } from "vitest";
import { START } from "../lib/urlstate";
import { ADDRESS_BAR } from "./address";

afterEach(() => vi.unstubAllGlobals());

test("beside no run the address stays: it may be a workshop's", () => {
  const replaceState = vi.fn();
  vi.stubGlobal("history", { replaceState });
  ADDRESS_BAR.moved(null, { ...START, nodes: [1] });
  expect(replaceState).not.toHaveBeenCalled();
  ADDRESS_BAR.moved("abc", { ...START, nodes: [1] });
  expect(replaceState).toHaveBeenCalledWith(null, "", "/r/abc#nodes=1");
});
