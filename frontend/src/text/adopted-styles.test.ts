import { describe, expect, it, vi } from "vitest";
import { merged, StyleModule } from "./adopted-styles";

describe("style modules", () => {
  it("keep the order of the later call and appear once", () => {
    const added = merged(["a", "b"], ["c", "b"]);
    expect(added.indexOf("c")).toBeLessThan(added.indexOf("b"));
    expect([...added].sort()).toEqual(["a", "b", "c"]);
    const twice = merged(merged([], ["a", "b"]), ["b", "a"]);
    expect(twice.indexOf("b")).toBeLessThan(twice.indexOf("a"));
    expect(new Set(twice).size).toBe(twice.length);
  });

  it("are not adopted again by a root that has them", () => {
    vi.stubGlobal(
      "CSSStyleSheet",
      class {
        replaceSync() {}
      },
    );
    const adopt = vi.fn();
    const root = {
      get adoptedStyleSheets() {
        return [];
      },
      set adoptedStyleSheets(sheets: unknown[]) {
        adopt(sheets);
      },
    } as unknown as Document;
    const module = new StyleModule({ "&": { color: "red" } });
    StyleModule.mount(root, [module]);
    StyleModule.mount(root, [module]);
    expect(adopt).toHaveBeenCalledOnce();
    vi.unstubAllGlobals();
  });
});
