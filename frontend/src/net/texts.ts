/** Texts that are kept beside their run's report, one by one: a hash is of one text for ever. */
import type { Artifact } from "../wire";
import { complaint, UNREACHABLE, type Result } from "./api";

export type Text = Pick<Artifact, "text" | "nodes">;

/** The text with a hash; `arrived` is told how many bytes there are so far. */
export async function getText(
  run: string,
  sha256: string,
  arrived: (bytes: number) => void,
): Promise<Result<Text>> {
  try {
    const response = await fetch(`/api/v1/runs/${run}/texts/${sha256}`);
    const raw = await read(response, arrived);
    if (response.ok) return { ok: true, value: JSON.parse(raw) as Text };
    return { ok: false, error: complaint(raw, response), status: response.status };
  } catch {
    return { ok: false, error: UNREACHABLE, status: 0 };
  }
}

async function read(response: Response, arrived: (bytes: number) => void): Promise<string> {
  const decoder = new TextDecoder();
  let [raw, bytes] = ["", 0];
  const reader = response.body!.getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    raw += decoder.decode(part.value, { stream: true });
    arrived((bytes += part.value.length));
  }
  return raw + decoder.decode();
}
