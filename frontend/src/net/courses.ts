/** Courses, and the deck that a workshop has of one. */
import { call, complaint, UNREACHABLE, type Result } from "./api";
import { at, type Room } from "./workshop";

export interface CourseEntry {
  name: string;
  title: string;
  about: string;
  minutes: number;
}

/** What is drawn of a run: a pane, a plot, or neither. */
export interface Look {
  pane: string;
  plot: string;
}

/** A part of a page: HTML, which the server has made safe, or something live. */
export type Block =
  | { type: "html"; html: string }
  /** An example of the gallery by its name, or the place of a stored run. */
  | ({ type: "run"; example: string; title: string; place: string; says: string } & Look)
  | ({ type: "snippet"; source: string } & Look)
  | { type: "exercise"; name: string };

export interface Page {
  title: string;
  blocks: Block[];
}

export interface Deck {
  title: string;
  minutes: number;
  pages: Page[];
}

export const getCourses = () => call<{ courses: CourseEntry[] }>("GET", "courses");

export const getDeck = (code: string) => call<Deck>("GET", `${at(code)}/deck`);

export const turnPage = (code: string, page: number) =>
  call<Room>("PATCH", `${at(code)}/deck`, { page });

/** Tells what was run in a block, `place` its page and number. */
export const tellRan = (code: string, place: string, run: string) =>
  call<Room>("PUT", `${at(code)}/deck/${place.replace(" ", "/")}`, { run });

// The server takes no larger body (webapp/settings.py); what is larger is mostly the folder's history.
const MOST_MIB = 2;
const TOO_LARGE =
  `The zip is larger than ${MOST_MIB} MiB. Leave out what is not the course's, such as .git: ` +
  "“git archive -o course.zip HEAD” does.";

/** Gives the workshop the course in a zip. */
export async function putCourse(code: string, zip: Blob): Promise<Result<Room>> {
  if (zip.size > MOST_MIB * 2 ** 20) return { ok: false, error: TOO_LARGE, status: 413 };
  try {
    const response = await fetch(`/api/v1/${at(code)}/course.zip`, {
      method: "PUT",
      headers: { "Content-Type": "application/zip" },
      body: zip,
    });
    const text = await response.text();
    if (response.ok) return { ok: true, value: JSON.parse(text) as Room };
    return { ok: false, error: complaint(text, response), status: response.status };
  } catch {
    return { ok: false, error: UNREACHABLE, status: 0 };
  }
}

/** Where the drawing of a workshop's link is. */
export const qrOf = (code: string): string => `/api/v1/${at(code)}/qr.svg`;

/** Where the course of a workshop is, for whoever leads it. */
export const courseOf = (code: string): string => `/api/v1/${at(code)}/course.zip`;

/** Where the zip is of what was run in a workshop. */
export const homeOf = (code: string): string => `/api/v1/${at(code)}/home.zip`;
