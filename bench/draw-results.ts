// The picture of bench/results.csv: a small chart for each measured case, with its goal.

type Result = { date: string; figure: number; isQuiet: boolean };
type Chart = { title: string; goal: { side: string; value: number } | null; results: Result[] };

const [COLUMNS, WIDTH, HEIGHT, GAP, MARGIN] = [3, 300, 120, 16, 20];
/** The part of a chart in which the points are. */
const PLOT = { left: 12, right: 60, top: 52, bottom: 26 };
/** The most letters in a line of a title. */
const LETTERS = 46;

/** Returns the charts, in the order in which `csv` first names them. A run with options (--quick) has its own chart. */
function chartsOf(csv: string): Chart[] {
  const charts = new Map<string, Chart>();
  for (const line of csv.trim().split('\n').slice(1)) {
    const [date = '', , benchmark = '', what = '', figure, goal = '', machine = ''] = cellsOf(line);
    const title = `${benchmark}: ${what}`;
    const chart = charts.get(title) ?? { title, goal: null, results: [] };
    charts.set(title, chart);
    chart.results.push({ date, figure: Number(figure), isQuiet: isQuiet(machine) });
    const [, side, value] = /^(at least|at most) (\S+)$/.exec(goal) ?? [];
    if (side !== undefined) chart.goal = { side, value: Number(value) };
  }
  return [...charts.values()];
}

/** Returns an SVG with a chart for each measured case. The same text always gives the same picture. */
export function drawResults(csv: string): string {
  const charts = chartsOf(csv);
  const rows = Math.ceil(charts.length / COLUMNS);
  const width = COLUMNS * WIDTH + (COLUMNS - 1) * GAP + 2 * MARGIN;
  const height = rows * (HEIGHT + GAP) - GAP + 2 * MARGIN;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" ` +
      `height="${height}" role="img" aria-label="Figures of the benchmarks with their goals">`,
    '<style>text { font: 11px system-ui, "DejaVu Sans", sans-serif; fill: #57606a } .title { fill: #1f2328 } ' +
      '.figure { font-weight: bold } .reached { fill: #1a7f37 } .missed { fill: #cf222e } .goal { stroke: #8c959f; ' +
      'stroke-dasharray: 4 3 } circle { stroke-width: 1.5 } circle.reached { stroke: #1a7f37 } ' +
      'circle.missed { stroke: #cf222e } circle.busy { fill: #ffffff }</style>',
    `<rect width="${width}" height="${height}" fill="#ffffff"/>`,
    ...charts.flatMap((chart, n) => {
      const x = MARGIN + (n % COLUMNS) * (WIDTH + GAP);
      const y = MARGIN + Math.floor(n / COLUMNS) * (HEIGHT + GAP);
      return [`<g transform="translate(${x} ${y})">`, ...drawChart(chart), '</g>'];
    }),
    '</svg>',
    '',
  ].join('\n');
}

function drawChart({ title, goal, results }: Chart): string[] {
  const { left, top } = PLOT;
  const [right, bottom] = [WIDTH - PLOT.right, HEIGHT - PLOT.bottom];
  const values = [...results.map(({ figure }) => figure), ...(goal ? [goal.value] : [])];
  const [lowest, highest] = [Math.min(0, ...values), Math.max(...values)];
  const yOf = (value: number): number =>
    round(highest === lowest ? bottom : bottom - ((value - lowest) / (highest - lowest)) * (bottom - top));
  const xOf = (n: number): number =>
    round(results.length === 1 ? (left + right) / 2 : left + (n / (results.length - 1)) * (right - left));
  const last = results.at(-1) as Result;
  return [
    `<rect width="${WIDTH}" height="${HEIGHT}" rx="4" fill="none" stroke="#d0d7de"/>`,
    ...linesOfTitle(title).map((line, n) => `<text class="title" x="10" y="${18 + n * 14}">${escaped(line)}</text>`),
    ...(goal
      ? [
          `<path class="goal" d="M${left} ${yOf(goal.value)}H${right}"/>`,
          `<text x="10" y="${HEIGHT - 8}">goal: ${goal.side} ${goal.value}</text>`,
        ]
      : []),
    `<text x="${right}" y="${HEIGHT - 8}" text-anchor="end">${last.date}</text>`,
    ...results.map(({ figure, isQuiet }, n) => {
      const kind = classOf(reaches(figure, goal)) + (isQuiet ? '' : ' busy');
      return `<circle class="${kind}" cx="${xOf(n)}" cy="${yOf(figure)}" r="3"/>`;
    }),
    `<text class="figure ${classOf(reaches(last.figure, goal))}" x="${right + 8}" y="${yOf(last.figure) + 4}">` +
      `${last.figure}</text>`,
  ];
}

const reaches = (figure: number, goal: Chart['goal']): boolean =>
  goal === null || (goal.side === 'at least' ? figure >= goal.value : figure <= goal.value);
/**
 * Returns true if the figure is of the usual machine with 2 cores, and no other work ran there. With a load average of
 * 1, half of this machine is busy before the benchmark begins.
 */
function isQuiet(machine: string): boolean {
  const load = Number(/load average (\d+(\.\d+)?)/.exec(machine)?.[1] ?? 0);
  return /\b2 cores\b/.test(machine) && !/beside other work|slower machine/.test(machine) && load < 1;
}
const classOf = (isReached: boolean): string => (isReached ? 'reached' : 'missed');
const round = (value: number): number => Math.round(value * 10) / 10;
const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** Breaks a title into at most two lines. */
function linesOfTitle(title: string): string[] {
  if (title.length <= LETTERS) return [title];
  const at = title.lastIndexOf(' ', LETTERS);
  const rest = title.slice(at + 1);
  return [title.slice(0, at), rest.length > LETTERS ? `${rest.slice(0, LETTERS - 1)}…` : rest];
}

/** Splits a line of CSV into cells. A cell in quotes may have commas, and two quotes mean one. */
const cellsOf = (line: string): string[] =>
  [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(
    ([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain ?? '',
  );
