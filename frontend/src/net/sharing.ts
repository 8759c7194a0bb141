/** What is asked of the server when a run is shared. */
import { call, type Run } from "./api";

export const shareRun = (id: string) => call<unknown>("POST", `runs/${id}/share`);

/** With all its texts. */
export const getWhole = (id: string) => call<Run>("GET", `runs/${id}`);

/** Puts the picture beside the run's link; whether it is there. */
export async function putCard(id: string, picture: Blob): Promise<boolean> {
  try {
    const answer = await fetch(`/api/v1/runs/${id}/card`, {
      method: "PUT",
      headers: { "Content-Type": "image/png" },
      body: picture,
    });
    return answer.ok;
  } catch {
    return false;
  }
}
