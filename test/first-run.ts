// The picture of README: the shortened output of a first start and the quickstart.

const WIDTH = 114;
/** The steps of the story in the picture. Of its webhooks it shows those of the kit. */
const STEPS = new Set([
  'Order an unregistered test kit',
  'The kit ships (simulated)',
  'Register the kit to its patient',
  'The sample travels to the laboratory (simulated)',
  'The laboratory reports its results (simulated)',
  'Read the results',
]);
const STEP = /^ +\d+\.\d{3} s {2}(\S.*)$/;
const WEBHOOK = /^ +\d+\.\d{3} s {4}<- labtest\.order\.\w+ {2}\w+\.testkit\./;

/** The lines of the picture, from the output of a new sandbox and the quickstart. It leaves out keys. */
export function firstRunOf(started: string, story: string): string[] {
  return [
    '$ npm ci && npm start',
    ...started.split('\n').flatMap((line) => {
      if (line.startsWith('Phial serves')) return line.replaceAll(/localhost:\d+/g, 'localhost:3000');
      if (line.startsWith('This sandbox is new')) return line;
      if (/^ .*credentials\.json$/.test(line)) return '  .phial/credentials.json';
      return line.match(/^ {2}(?:team API key +sk_us_|management key +mg_)/)?.map((begin) => `${begin}…`) ?? [];
    }),
    '',
    '$ npm run quickstart',
    ...linesOf(story).map((line) => {
      const plain = line.replaceAll(/\b([\da-f]{4})[\da-f]{4}-[\da-f-]{27}/g, '$1…');
      return plain.length > WIDTH ? `${plain.slice(0, WIDTH)}…` : plain;
    }),
    '…',
    story.trimEnd().split('\n').at(-1) ?? '',
  ];
}

function linesOf(story: string): string[] {
  const lines = story.split('\n');
  return lines.filter((line, at) => {
    const before = STEP.exec(lines.slice(0, at).findLast((other) => STEP.test(other) && !WEBHOOK.test(other)) ?? '');
    const isRequest = line.startsWith(' '.repeat(12)) && !STEP.test(line);
    return WEBHOOK.test(line) || STEPS.has(STEP.exec(line)?.[1] ?? '') || (isRequest && STEPS.has(before?.[1] ?? ''));
  });
}

const [LINE_HEIGHT, LETTER_WIDTH, MARGIN] = [19, 7.85, 20];

/** An SVG of a terminal with these lines. */
export function drawTerminal(lines: string[]): string {
  const width = Math.ceil((WIDTH + 1) * LETTER_WIDTH + 2 * MARGIN);
  const height = lines.length * LINE_HEIGHT + 2 * MARGIN;
  const texts = lines.flatMap((line, n) =>
    line === ''
      ? []
      : `<text x="${MARGIN}" y="${MARGIN + 14 + n * LINE_HEIGHT}" class="${classOf(line)}">${escaped(line)}</text>`,
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" ` +
      `height="${height}" role="img">`,
    '<style>text { font: 13px ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; white-space: pre }',
    '.command { fill: #ffffff; font-weight: bold } .step { fill: #e6edf3 } .more { fill: #8b949e } .webhook ' +
      '{ fill: #56d364 }',
    '</style>',
    `<rect width="${width}" height="${height}" rx="8" fill="#0d1117"/>`,
    ...texts,
    '</svg>',
    '',
  ].join('\n');
}

function classOf(line: string): string {
  if (line.startsWith('$')) return 'command';
  if (line.includes('<- ') || line.startsWith('Everything')) return 'webhook';
  return line.startsWith(' '.repeat(12)) ? 'more' : 'step';
}

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** The stable part of the output: the beginnings of the lines without numbers and generated ids, sorted. */
export const unchangingOf = (picture: string): string[] =>
  [...picture.matchAll(/<text [^>]*>(.*)<\/text>/g)]
    .map(([, line]) => (line as string).replaceAll(/SIM[\dA-Z]+|[\da-f]{4}…|\d[\d.]*/g, '#').replaceAll(/ +/g, ' '))
    .map((line) => line.slice(0, 60))
    .toSorted();
