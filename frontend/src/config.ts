/** What the server says to the page in its head, as JSON in the element `fuselab-config`. */

export interface Config {
  /** "required", or "off-loopback-only": snippets run unconfined, and a banner says so. */
  sandbox: string;
  /** What the policy asks of style elements that scripts make. */
  nonce: string;
  version: string;
}

const DEFAULTS: Config = { sandbox: "required", nonce: "", version: "" };

export function readConfig(): Config {
  const text = document.getElementById("fuselab-config")?.textContent;
  return text ? { ...DEFAULTS, ...(JSON.parse(text) as Partial<Config>) } : DEFAULTS;
}
