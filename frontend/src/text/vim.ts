/** Vim's keys, a file of its own for those who want them. */
import type { Extension } from "@codemirror/state";
import { vim } from "@replit/codemirror-vim";

export const vimKeys: Extension = vim({ status: true });
