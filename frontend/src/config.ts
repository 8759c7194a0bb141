/** What the server says to the page before it asks for anything: JSON in the element `config`. */

export interface Config {
  /** False where snippets run unconfined; a banner says so. */
  sandbox: boolean;
  version: string;
}

const DEFAULTS: Config = { sandbox: true, version: "" };

export function readConfig(): Config {
  const text = document.getElementById("config")?.textContent;
  return text ? { ...DEFAULTS, ...(JSON.parse(text) as Partial<Config>) } : DEFAULTS;
}
