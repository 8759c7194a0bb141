/** The picture that chats show beside a run's link: its names, what it came to, its fusion graph. */
import { changeWords, failureWords, verdictWords } from "../lib/telling";
import type { Report } from "../wire";
import { fusionSvg } from "./drawing";

/** As large as the server takes it (webapp/runs/card.py), in pixels. */
const WIDTH = 1200;
const HEIGHT = 630;
const MARGIN = 48;
/** Where the words end and the graph begins. */
const MIDDLE = 580;
/** A small graph is not blown up further. */
const MOST_SCALE = 2.2;

interface Colours {
  ink: string;
  faint: string;
  paper: string;
  accent: string;
}

/** Null where the browser cannot draw it. Light whatever the theme is: a chat, and a wall of many, have
 * pictures of several people beside each other. */
export async function cardOf(run: string, report: Report): Promise<Blob | null> {
  const canvas = document.createElement("canvas");
  canvas.width = WIDTH;
  canvas.height = HEIGHT;
  const pen = canvas.getContext("2d");
  if (!pen) return null;
  const colours = coloursOf();
  pen.fillStyle = colours.paper;
  pen.fillRect(0, 0, WIDTH, HEIGHT);
  const [program] = report.programs;
  const svg = program ? await fusionSvg(run, program, "light").catch(() => null) : null;
  if (svg) await drawGraph(pen, svg);
  drawWords(pen, report, colours, svg ? MIDDLE - MARGIN : WIDTH - 2 * MARGIN);
  return new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
}

function coloursOf(): Colours {
  const probe = document.createElement("span");
  probe.style.colorScheme = "light";
  document.body.append(probe);
  const of = (name: string): string => {
    probe.style.color = `var(${name})`;
    return getComputedStyle(probe).color;
  };
  const found = {
    ink: of("--ink"),
    faint: of("--ink-2"),
    paper: of("--paper"),
    accent: of("--accent"),
  };
  probe.remove();
  return found;
}

async function drawGraph(pen: CanvasRenderingContext2D, svg: string): Promise<void> {
  const image = new Image();
  image.src = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
  try {
    await image.decode();
    const room = { width: WIDTH - MIDDLE - MARGIN / 2, height: HEIGHT - MARGIN };
    const scale = Math.min(room.width / image.width, room.height / image.height, MOST_SCALE);
    const [width, height] = [image.width * scale, image.height * scale];
    const x = MIDDLE + (room.width - width) / 2;
    pen.drawImage(image, x, (HEIGHT - height) / 2, width, height);
  } finally {
    URL.revokeObjectURL(image.src);
  }
}

function drawWords(
  pen: CanvasRenderingContext2D,
  report: Report,
  { ink, faint, accent }: Colours,
  width: number,
): void {
  const family = getComputedStyle(document.body).fontFamily;
  let y = MARGIN;
  const write = (text: string, size: number, weight: number, colour: string, most: number) => {
    pen.font = `${weight} ${size}px ${family}`;
    pen.fillStyle = colour;
    for (const line of wrapped(text, (part) => pen.measureText(part).width <= width, most)) {
      y += size * 1.3;
      pen.fillText(line, MARGIN, y);
    }
    y += size * 0.4;
  };
  const [program] = report.programs;
  const error = report.error ?? program?.error ?? null;
  const verdict = program ? verdictWords(program).split(/; | (?=\(machine busy)/) : [];
  write(titleOf(report), 48, 650, ink, 2);
  write(error ? `Failed at ${failureWords(error)}` : "", 26, 450, ink, 4);
  for (const each of verdict.slice(0, 4)) write(each, 26, 450, ink, 2);
  write(program ? changeWords(program) : "", 26, 450, faint, 2);
  pen.font = `650 28px ${family}`;
  pen.fillStyle = accent;
  pen.fillText("Fuselab", MARGIN, HEIGHT - MARGIN);
}

const titleOf = ({ programs }: Report): string => {
  const [first, ...others] = programs.map(({ name }) => name);
  if (first === undefined) return "A snippet";
  return others.length > 0 ? `${first} and ${others.length} more` : first;
};

/** At most so many lines of words, each of which fits; the last says that it was cut. */
function wrapped(text: string, fits: (line: string) => boolean, most: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ").filter(Boolean)) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (line === "" || fits(longer)) line = longer;
    else {
      lines.push(line);
      line = word;
    }
  }
  const all = line === "" ? lines : [...lines, line];
  return all.length <= most ? all : [...all.slice(0, most - 1), `${all[most - 1]} …`];
}
