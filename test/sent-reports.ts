// Lab reports as laboratories print them, with invented people and values, and requests that send them.
import Document from 'pdfkit';
import type { Team } from './test-app.ts';

export type Row = { name: string; value: string; unit: string; range: string; flag?: string };
type Layout = 'columns' | 'flags_first' | 'in_and_out_of_range' | 'sentences' | 'typewriter';
export type ReportText = { layout?: Layout; head?: string[]; rows: Row[]; panel?: string | null; rowsPerPage?: number };

export const LAYOUTS: Layout[] = ['columns', 'flags_first', 'in_and_out_of_range', 'sentences', 'typewriter'];

export const REPORT_ROWS: Row[] = [
  { name: 'Glucose', value: '95', unit: 'mg/dL', range: '70-99' },
  { name: 'Hemoglobin A1c', value: '6.1', unit: '%', range: '<5.7', flag: 'H' },
  { name: 'TSH', value: '2.10', unit: 'mIU/L', range: '0.40-4.50' },
  { name: 'LDL Cholesterol', value: '162', unit: 'mg/dL', range: '<100', flag: 'H' },
  { name: 'HDL Cholesterol', value: '38', unit: 'mg/dL', range: '>40', flag: 'L' },
];

const HEAD = [
  'Saguaro Clinical Laboratories',
  'Patient Name: Palmer, Grace    DOB: 04/12/1988    Sex: F',
  'Specimen ID: SG-104233    Collected: 01/05/2026 08:30    Reported: 01/06/2026',
];

/** A PDF with its text as text. */
export function reportPdf(
  { layout = 'columns', head = HEAD, rows, panel = 'GENERAL CHEMISTRY', rowsPerPage = 30 }: ReportText,
  options: PDFKit.PDFDocumentOptions = {},
): Promise<Buffer> {
  return pdf((document) => {
    document.font('Helvetica').fontSize(10);
    let y = 40;
    for (const line of head) document.text(line, 40, (y += 18), { lineBreak: false });
    y += 24;
    for (const [index, row] of rows.entries()) {
      const isFirstOfPage = index % rowsPerPage === 0;
      if (isFirstOfPage && index > 0) {
        document.addPage();
        y = 60;
      }
      if (isFirstOfPage) y = heading(document, layout, y, index === 0 ? panel : null);
      write(document, layout, row, (y += 16));
    }
  }, options);
}

export function pdf(
  draw: (document: PDFKit.PDFDocument) => void,
  options: PDFKit.PDFDocumentOptions = {},
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const document = new Document({ size: 'LETTER', margin: 40, ...options });
    const chunks: Buffer[] = [];
    document.on('data', (chunk: Buffer) => chunks.push(chunk));
    document.on('end', () => resolve(Buffer.concat(chunks)));
    document.on('error', reject);
    draw(document);
    document.end();
  });
}

type LineTexts = [text: string, x: number][];
const HEADINGS: Partial<Record<Layout, LineTexts>> = {
  columns: [
    ['Test Name', 40],
    ['Result', 220],
    ['Units', 300],
    ['Reference Range', 380],
    ['Flag', 520],
  ],
  flags_first: [
    ['TESTS', 40],
    ['RESULT', 220],
    ['FLAG', 290],
    ['UNITS', 350],
    ['REFERENCE INTERVAL', 430],
  ],
  in_and_out_of_range: [
    ['Test Name', 40],
    ['In Range', 220],
    ['Out Of Range', 300],
    ['Reference Range', 420],
  ],
};

const lineTextsOf = (layout: Layout, { name, value, unit, range, flag = '' }: Row): LineTexts => {
  if (layout === 'flags_first')
    return [
      [name, 40],
      [value, 220],
      [flag, 290],
      [unit, 350],
      [range, 430],
    ];
  if (layout === 'in_and_out_of_range')
    return [[name, 40], flag ? [`${value} ${flag}`, 300] : [value, 220], [`${range} ${unit}`, 420]];
  return [
    [name, 40],
    [value, 250 - 5.56 * value.length],
    [unit, 300],
    [range, 380],
    [flag, 520],
  ];
};

function heading(document: PDFKit.PDFDocument, layout: Layout, y: number, panel: string | null): number {
  let at = y;
  if (layout === 'typewriter') {
    document.font('Courier').fontSize(9);
    document.text(columns('TEST', 'RESULT', 'UNITS', 'REFERENCE RANGE', 'FLAG'), 40, (at += 16), { lineBreak: false });
  } else if (layout !== 'sentences') put(document, HEADINGS[layout] as LineTexts, (at += 16));
  if (panel !== null) document.text(panel, 40, (at += 18), { lineBreak: false });
  return at;
}

function write(document: PDFKit.PDFDocument, layout: Layout, row: Row, y: number): void {
  const { name, value, unit, range, flag = '' } = row;
  if (layout === 'sentences')
    document.text(`${name}: ${value} ${unit} ${flag && `${flag} `}(Reference range: ${range})`, 40, y, {
      lineBreak: false,
    });
  else if (layout === 'typewriter') document.text(columns(name, value, unit, range, flag), 40, y, { lineBreak: false });
  else put(document, lineTextsOf(layout, row), y);
}

const columns = (...texts: string[]): string =>
  texts
    .map((text, index) => text.padEnd(index === 0 ? 28 : index === 3 ? 20 : 14))
    .join('')
    .trimEnd();

function put(document: PDFKit.PDFDocument, texts: LineTexts, y: number): void {
  for (const [text, x] of texts) if (text) document.text(text, x, y, { lineBreak: false });
}

export type ParsingJob = {
  id: string;
  job_id: string;
  status: string;
  failure_reason: string | null;
  data: {
    metadata: Record<string, string | null>;
    results: (Record<string, unknown> & { test_name: string; value: string })[];
  } | null;
  needs_human_review: boolean;
  is_reviewed: boolean;
  files: { content_type: string; bytes: number; url: string }[];
};

const JOBS = '/lab_report/v1/parser/job';

/** Nobody reads the name of the file, and nobody believes the type beside it. */
const FILE_NAME = 'report-of-grace-palmer.html';

/** A form as a client writes it, for a team to send. */
export function reportForm(fields: Record<string, string>, files: Buffer[], fileName = FILE_NAME) {
  const boundary = 'edge-of-this-form';
  const parts = [
    ...Object.entries(fields).map(([name, value]) =>
      Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`),
    ),
    ...files.flatMap((file) => [
      Buffer.from(
        `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${fileName}"\r\n` +
          'Content-Type: text/plain\r\n\r\n',
      ),
      file,
      Buffer.from('\r\n'),
    ]),
    Buffer.from(`--${boundary}--\r\n`),
  ];
  return {
    raw: Buffer.concat(parts) as unknown as string,
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
  };
}
/** Sends files as a form. The answer is checked against its schema, as always. */
export const sendReport = <T = ParsingJob & { code: string }>(
  team: Team,
  user_id: string | null,
  files: Buffer[],
  fields: Record<string, string> = {},
) => team.api<T>('POST', JOBS, undefined, reportForm({ ...(user_id === null ? {} : { user_id }), ...fields }, files));

export const readJob = async (team: Team, id: string): Promise<ParsingJob> =>
  (await team.api<ParsingJob>('GET', `${JOBS}/${id}`)).body;
