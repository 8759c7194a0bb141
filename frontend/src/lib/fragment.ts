/** How the fragment of an address begins that is a snippet (stateless.ts). */
export const SNIPPET = "#snippet=";

export const isStateless = (fragment: string): boolean => fragment.startsWith(SNIPPET);
