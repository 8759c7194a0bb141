/** What the browser keeps of the page. It may forbid that altogether; the page then forgets, and works. */

/** Of one tab, or of all. */
type Storage = "sessionStorage" | "localStorage";

export function read(storage: Storage, key: string): string | null {
  try {
    return window[storage].getItem(key);
  } catch {
    return null;
  }
}

export function write(storage: Storage, key: string, value: string | null): void {
  try {
    if (value === null) window[storage].removeItem(key);
    else window[storage].setItem(key, value);
  } catch {
    return;
  }
}

/** All that is kept under keys which begin so. */
export function entries(storage: Storage, prefix: string): [string, string][] {
  try {
    return Object.entries(window[storage]).filter(([key]) => key.startsWith(prefix));
  } catch {
    return [];
  }
}
