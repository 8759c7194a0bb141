/** The desk at which a workshop is opened, by one press: a title, a name, perhaps a course, and what all
 * runs in it are to have, each if it is wanted. */
import { useEffect, useState } from "preact/hooks";
import { DEVICES, TARGETS } from "../lib/choices";
import { titles } from "../lib/toolchains";
import { getCourses, getDeck, putCourse, type CourseEntry } from "../net/courses";
import { changeWorkshop, openWorkshop } from "../net/workshop";
import { loadToolchains, toolchains, workshop } from "../store/page";
import { problem } from "./room/attending";
import { cameByForm } from "./coming";
import { fieldsOf, Form, storeName, MANUAL, Name, PassPhrase, type Fields } from "./form";

/** What a room and its leader are called that nobody gave another name. */
const TITLE = "Workshop";
const LEADER = "Leader";

const OPENING = "open-a-workshop";

/** What stands in the list of courses for a zip of one's own. */
const OWN = "/zip";

export function Opening() {
  const [course, setCourse] = useState("");
  const [zip, setZip] = useState<File | null>(null);
  const courses = useCourses();
  const chosen = courses?.find(({ name }) => name === course);
  const go = (event: SubmitEvent) => {
    event.preventDefault();
    location.assign(`/w/${encodeURIComponent(fieldsOf(event).code ?? "")}`);
  };
  return (
    <>
      <Form
        label="Open a workshop"
        act="Open a workshop"
        id={OPENING}
        submit={(fields) => {
          const ready = courses?.find(({ name }) => name === fields.ready);
          if (!ready) return openOne(fields, course, zip);
          return openOne({ ...fields, title: fields.title || ready.title }, ready.name, null);
        }}
      >
        <label>
          Course{" "}
          <select
            class="workshop-course"
            value={course}
            onChange={(event) => setCourse(event.currentTarget.value)}
          >
            <option value="">none</option>
            {courses?.map(({ name, title, minutes }) => (
              <option key={name} value={name}>
                {`${title} (${minutes} min)`}
              </option>
            ))}
            <option value={OWN}>one of my own, as a zip</option>
          </select>
        </label>
        {course === OWN && (
          <input
            type="file"
            aria-label="The course's zip"
            accept=".zip,application/zip"
            required
            onChange={(event) => setZip(event.currentTarget.files?.[0] ?? null)}
          />
        )}
        <label>
          Title{" "}
          <input
            key={course}
            name="title"
            maxLength={80}
            defaultValue={chosen?.title ?? ""}
            placeholder={course === OWN ? "As the course is called" : TITLE}
          />
        </label>
        <Name otherwise={LEADER} />
        <PassPhrase says="Pass phrase, if wanted" />
        <Pins />
        {chosen && <p class="faint workshop-about">{chosen.about}</p>}
      </Form>
      <form class="workshop-form" aria-label="Join a workshop" onSubmit={go}>
        <label>
          Or join one by its code <input name="code" required size={10} placeholder="k7mq-2p9x" />
        </label>
        <button>Go to it</button>
        <a href={MANUAL} target="_blank" rel="noopener">
          How to lead a workshop
        </a>
      </form>
      <p class="workshop-form workshop-ready" role="group" aria-label="Ready to be led">
        {courses === null ? "Fetching the courses" : "Or open one with a course, at once:"}
        {courses?.map(({ name, title }) => (
          <button key={name} form={OPENING} name="ready" value={name} formNoValidate>
            {title}
          </button>
        ))}
      </p>
    </>
  );
}

/** Those that ship; null until they are here, for which their places are kept free: a button that moves
 * while it is pressed is not pressed. */
function useCourses(): readonly CourseEntry[] | null {
  const [courses, setCourses] = useState<readonly CourseEntry[] | null>(null);
  useEffect(() => {
    void getCourses().then((answer) => {
      setCourses(answer.ok ? answer.value.courses : []);
      if (!answer.ok) problem.value = answer.error;
    });
  }, []);
  return courses;
}

/** What every run in the workshop has, whoever asks for it; closed until somebody wants it. */
function Pins() {
  useEffect(() => void loadToolchains(), []);
  return (
    <details class="workshop-pins">
      <summary>The same for all runs</summary>
      <Pin name="device" label="Device" names={DEVICES} />
      <Pin name="target" label="Target" names={TARGETS} />
      <Pin name="toolchain" label="Toolchain" names={titles(toolchains.value, "")} />
    </details>
  );
}

interface PinProps {
  name: string;
  label: string;
  names: Record<string, string>;
}

const Pin = ({ name, label, names }: PinProps) => (
  <label>
    {label}{" "}
    <select name={name}>
      <option value={FREE}>as each likes</option>
      {Object.entries(names).map(([value, title]) => (
        <option key={value} value={value}>
          {title}
        </option>
      ))}
    </select>
  </label>
);

const FREE = "/free";

const pinsOf = (fields: Fields): Record<string, string> =>
  Object.fromEntries(
    ["device", "target", "toolchain"]
      .map((name) => [name, fields[name] ?? FREE] as const)
      .filter(([, value]) => value !== FREE),
  );

async function openOne(fields: Fields, course: string, zip: File | null): Promise<void> {
  const { title = "", name = "", phrase = "" } = fields;
  const answer = await openWorkshop({
    title: title.trim() || TITLE,
    name: name.trim() || LEADER,
    pass_phrase: phrase,
    options: pinsOf(fields),
    course: course === OWN ? "" : course,
  });
  problem.value = answer.ok ? null : answer.error;
  if (!answer.ok) return;
  const { code } = answer.value;
  if (name.trim() !== "") storeName(name);
  const put = course === OWN && zip ? await putCourse(code, zip) : null;
  if (put?.ok && title.trim() === "") await entitle(code);
  history.replaceState(null, "", `/w/${code}`);
  cameByForm();
  workshop.value = code;
  // The workshop is there all the same: the leader can put in another zip.
  if (put && !put.ok) problem.value = put.error;
}

/** Calls a workshop as the course is called that was put into it. */
async function entitle(code: string): Promise<void> {
  const deck = await getDeck(code);
  if (deck.ok) await changeWorkshop(code, { title: deck.value.title });
}
