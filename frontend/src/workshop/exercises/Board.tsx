/** How far all seats are; others see it when the leader shows it. */
import { useEffect } from "preact/hooks";
import { times } from "../../lib/format";
import { room, setBoard } from "../room/attending";
import { board, exercises, loadBoard } from "./state";

export function Board({ leads }: { leads: boolean }) {
  const isOn = room.value?.board ?? false;
  const told = room.value?.seats.map((seat) => seat.passed).join() ?? "";
  useEffect(() => void loadBoard(), [isOn, told, exercises.value]);
  const lines = board.value;
  // Where no exercise asks for times there are none.
  const isTimed = lines?.some(({ speedup }) => speedup !== null) ?? false;
  return (
    <section class="board" aria-label="Board">
      <h2>
        Board{" "}
        {leads && (
          <button class="quiet" aria-pressed={isOn} onClick={() => void setBoard(!isOn)}>
            {isOn ? "Hide it from the seats" : "Show it to all seats"}
          </button>
        )}
      </h2>
      {lines?.length === 0 && <p class="faint">Nobody but the leader is here.</p>}
      {lines !== null && lines.length > 0 && (
        <table>
          <thead>
            <tr>
              <th scope="col">Seat</th>
              <th scope="col">Checks passed</th>
              <th scope="col">Exercises</th>
              {isTimed && (
                <th scope="col" title="The geometric mean over the exercises that are solved">
                  Speed-up
                </th>
              )}
              <th scope="col">Attempts</th>
              <th scope="col">Hints</th>
            </tr>
          </thead>
          <tbody>
            {lines.map((line, at) => (
              <tr key={at}>
                <th scope="row">{line.name}</th>
                <td class="number">
                  {line.checks} of {line.of}
                </td>
                <td class="number">{line.exercises}</td>
                {isTimed && (
                  <td class="number">{line.speedup === null ? "" : times(line.speedup)}</td>
                )}
                <td class="number">{line.attempts}</td>
                <td class="number">{line.hints}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}
