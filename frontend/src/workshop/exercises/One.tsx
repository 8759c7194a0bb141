/** One exercise: what to do, what is wanted, what the last attempt saw, hints. */
import { useRunView } from "../../store/context";
import { Icon } from "../../panes/Icon";
import type { Attempt, CheckResult, Exercise } from "../../net/exercises";
import { Confirm } from "../room/Confirm";
import { inCommon } from "./seen";
import { begin, check, checked, doing, openHint, remove } from "./state";

interface Props {
  exercise: Exercise;
  leads: boolean;
  /** Whether it stands on a page of the deck, and not in the list. */
  isInDeck?: boolean;
}

export function One({ exercise, leads, isInDeck = false }: Props) {
  const view = useRunView();
  const isBusy = doing.value !== "";
  const seen = exercise.last;
  // What an attempt saw is not said of the text that takes its place while that is checked.
  const isAnew = checked.value === exercise.name && !seen?.pending;
  return (
    <article class="exercise" aria-label={exercise.title}>
      <h2>{exercise.title}</h2>
      <Prose html={exercise.text} />
      <div class="exercise-acts">
        <button
          aria-label={`Start: ${exercise.title}`}
          title="Puts the snippet into the editor"
          onClick={() => begin(view, exercise, isInDeck)}
        >
          Start
        </button>
        <button
          class="primary"
          disabled={isBusy || exercise.call === ""}
          onClick={() => void check(view, exercise)}
        >
          Check
        </button>
        {leads && (
          <Confirm
            label="Remove it"
            about={`Remove ${exercise.title}`}
            act="Remove the exercise"
            stay="Keep it"
            onAct={() => void remove(exercise.name)}
          >
            All attempts at it go with it, of every seat, and from the board.
          </Confirm>
        )}
        <span role="status">{isBusy ? doing.value : attemptsOf(exercise)}</span>
      </div>
      {seen && !isAnew ? <Seen attempt={seen} /> : <Wanted wants={exercise.wants} />}
      {exercise.call !== "" && (
        <p class="faint">
          Checked as <code>{exercise.call}</code>, on numbers of its own.
        </p>
      )}
      <Hints exercise={exercise} />
    </article>
  );
}

const attemptsOf = ({ attempts, passed }: Exercise): string => {
  if (attempts === 0) return "";
  const count = attempts === 1 ? "1 attempt" : `${attempts} attempts`;
  return passed ? `Passed, ${count}` : count;
};

const Wanted = ({ wants }: { wants: readonly string[] }) => (
  <ul class="exercise-checks" aria-label="What is wanted">
    {wants.map((each) => (
      <li key={each}>
        <Icon name="dot" /> {each}
      </li>
    ))}
  </ul>
);

function Seen({ attempt: { results } }: { attempt: Attempt }) {
  const common = inCommon(results);
  return (
    <>
      {common !== "" && <p>{common}</p>}
      <ul class="exercise-checks" aria-label="What the last attempt came to">
        {results.map((each) => (
          <Result key={each.wants} result={each} says={common === "" ? each.says : ""} />
        ))}
      </ul>
    </>
  );
}

const Result = ({ result, says }: { result: CheckResult; says: string }) => (
  <li class={result.passed ? "passed" : "failed"}>
    <Icon name={result.passed ? "check" : "cross"} />
    <span>
      <strong>
        {result.wants}: {stateOf(result)}.
      </strong>{" "}
      {says}
    </span>
  </li>
);

const stateOf = ({ passed, pending }: CheckResult): string =>
  passed ? "passed" : pending ? "on its way" : "not yet";

function Hints({ exercise }: { exercise: Exercise }) {
  const { hints, opened } = exercise;
  if (hints === 0) return null;
  return (
    <div class="exercise-hints">
      {opened.length > 0 && (
        <ol aria-label="Hints">
          {opened.map((each, at) => (
            <li key={at}>
              <Prose html={each} />
            </li>
          ))}
        </ol>
      )}
      {opened.length < hints && (
        <button class="quiet" onClick={() => void openHint(exercise)}>
          Open hint {opened.length + 1} of {hints}
        </button>
      )}
    </div>
  );
}

/** The server's Markdown, which lets no markup of the author's through. */
const Prose = ({ html }: { html: string }) => (
  <div class="exercise-text" dangerouslySetInnerHTML={{ __html: html }} />
);
