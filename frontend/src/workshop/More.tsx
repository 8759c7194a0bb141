/** What a person does once in a workshop: take it home, be called otherwise; for the leader the course
 * as a zip, out and in. */
import { useEffect, useRef, useState } from "preact/hooks";
import { courseOf, homeOf, putCourse } from "../net/courses";
import type { Result } from "../net/api";
import { changeSeat, changeWorkshop, type Room } from "../net/workshop";
import { Menu } from "../shell/Menu";
import { notify } from "../store/page";
import { changed, problem, room, you } from "./room/attending";
import { Form, storeName, MANUAL, type Fields } from "./form";

export function More() {
  const now = room.value!;
  const [renaming, setRenaming] = useState<typeof NAMING | null>(null);
  const zip = useRef<HTMLInputElement>(null);
  return (
    <>
      <Menu label="More" name="More of this workshop" class="quiet">
        {(close) => (
          <>
            <Download at={homeOf(now.code)} onTake={close}>
              {you.value?.leads ? "Take all work home" : "Take my work home"}
            </Download>
            {(you.value?.leads ? [NAMING, TITLING] : [NAMING]).map((each) => (
              <button
                key={each.what}
                role="menuitem"
                tabIndex={-1}
                onClick={() => (setRenaming(each), close())}
              >
                {each.what}
              </button>
            ))}
            <a
              role="menuitem"
              tabIndex={-1}
              href={MANUAL}
              target="_blank"
              rel="noopener"
              onClick={close}
            >
              {you.value?.leads ? "How to lead a workshop" : "What there is in a workshop"}
            </a>
            {you.value?.leads && (now.deck || now.exercises > 0) && (
              <Download at={courseOf(now.code)} onTake={close}>
                Download the course
              </Download>
            )}
            {you.value?.leads && (
              <button role="menuitem" tabIndex={-1} onClick={() => (zip.current?.click(), close())}>
                Put in a course (zip)
              </button>
            )}
          </>
        )}
      </Menu>
      <input
        ref={zip}
        type="file"
        hidden
        aria-label="The course's zip"
        accept=".zip,application/zip"
        onChange={(event) => void putIn(now.code, event.currentTarget)}
      />
      {renaming && <Renaming {...renaming} now={renaming.now()} close={() => setRenaming(null)} />}
    </>
  );
}

interface DownloadProps {
  at: string;
  onTake: () => void;
  children: preact.ComponentChildren;
}

const Download = ({ at, onTake, children }: DownloadProps) => (
  <a role="menuitem" tabIndex={-1} href={at} download onClick={onTake}>
    {children}
  </a>
);

async function putIn(code: string, input: HTMLInputElement): Promise<void> {
  const file = input.files?.[0];
  // The same file can be chosen again, when it was mended.
  input.value = "";
  if (!file) return;
  const answer = await changed(putCourse(code, file));
  if (answer.ok) notify("The workshop has this course now.");
}

interface RenamingProps {
  what: string;
  label: string;
  now: string;
  longest: number;
  change: (text: string) => Promise<Result<Room>>;
  close: () => void;
}

/** Stays open where the name is refused, with what was typed and the reason. */
function Renaming({ what, label, now, longest, change, close }: RenamingProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [refusal, setRefusal] = useState<string | null>(null);
  useEffect(() => dialog.current?.showModal(), []);
  const submit = async ({ text = "" }: Fields) => {
    const answer = await changed(change(text));
    if (answer.ok) dialog.current?.close();
    else setRefusal(answer.error);
  };
  const end = () => {
    // It was read here.
    if (problem.peek() === refusal) problem.value = null;
    close();
  };
  return (
    <dialog ref={dialog} class="help" aria-label={what} onClose={end}>
      <Form label="What it is called from now on" act="Change" submit={submit}>
        <label>
          {label} <input name="text" required maxLength={longest} defaultValue={now} />
        </label>
      </Form>
      <p role="alert" class="problem" hidden={refusal === null}>
        {refusal}
      </p>
    </dialog>
  );
}

/** What can be called otherwise, and by whom. */
const NAMING = {
  what: "Change my name",
  label: "Your name",
  now: () => you.value?.name ?? "",
  longest: 40,
  change: async (name: string) => {
    const answer = await changeSeat(room.value!.code, { name });
    if (answer.ok) storeName(name);
    return answer;
  },
};
const TITLING = {
  what: "Change the title",
  label: "Title",
  now: () => room.value!.title,
  longest: 80,
  change: (title: string) => changeWorkshop(room.value!.code, { title }),
};
