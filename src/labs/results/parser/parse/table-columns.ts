import type { Cell, Line } from './page-lines.ts';

type Kind = 'name' | 'value' | 'out' | 'unit' | 'range' | 'flag' | 'other';
export type Columns = (Cell & { kind: Kind })[];

/** The headings that reports print above their columns. */
const HEADINGS: Record<Exclude<Kind, 'other'>, RegExp> = {
  name: /^(tests?|test names?|tests? performed|analytes?|components?|names?|descriptions?|biomarkers?|markers?|parameters?|investigations?|examinations?)$/,
  value:
    /^(results?|values?|your results?|your values?|current results?|result values?|observed values?|in range|measured)$/,
  out: /^(out of range|abnormal results?)$/,
  unit: /^(units?|uom|unit of measure|measure)$/,
  range:
    /^((biological |normal |standard |expected )?(reference|ref\.?)( ranges?| intervals?| values?)?|(normal|standard|expected|optimal|desired) ranges?|ranges?|normals?)$/,
  flag: /^(flags?|abnormal flags?|h\/l|status|indicators?|abn)$/,
};

/** Returns the columns if the line consists of their headings. Returns null for any other line. */
export function columnsOf(line: Line): Columns | null {
  if (line.length < 2) return null;
  const columns = line.map((cell) => ({ ...cell, kind: kindOf(cell.text) }));
  const has = (kind: Kind): boolean => columns.some((column) => column.kind === kind);
  return has('name') && (has('value') || has('out')) ? columns : null;
}

function kindOf(text: string): Kind {
  const small = text
    .toLowerCase()
    .replace(/(?<![:*])[:*]+$/, '')
    .trim();
  const found = Object.entries(HEADINGS).find(([, pattern]) => pattern.test(small));
  return (found?.[0] as Kind | undefined) ?? 'other';
}

type InColumns = Record<'name' | 'value' | 'unit' | 'range' | 'flag', string | null> & {
  /** True if the value is in a column for values that are out of their range. */
  isOut: boolean;
};

/**
 * Assigns the cells of a line to the nearest columns. Some reports have two columns for values, 'In Range' and 'Out of
 * Range'. The function returns the value of either column as `value`.
 */
export function inColumns(line: Line, columns: Columns): InColumns {
  const texts = new Map<Kind, string>();
  for (const cell of line) {
    const { kind } = nearest(cell, columns);
    texts.set(kind, texts.has(kind) ? `${texts.get(kind)} ${cell.text}` : cell.text);
  }
  const of = (kind: Kind): string | null => texts.get(kind) ?? null;
  return {
    name: of('name'),
    value: of('value') ?? of('out'),
    unit: of('unit'),
    range: of('range'),
    flag: of('flag'),
    isOut: of('value') === null && of('out') !== null,
  };
}

const nearest = (cell: Cell, columns: Columns): Columns[number] =>
  columns.reduce((best, column) => (distance(cell, column) < distance(cell, best) ? column : best));

/**
 * Returns the horizontal distance between a cell and a heading. Cells may be aligned with the heading at the left, at
 * the right or in the middle. So the function returns the smallest of the three distances.
 */
const distance = (a: Cell, b: Cell): number =>
  Math.min(Math.abs(a.x - b.x), Math.abs(a.right - b.right), Math.abs(a.x + a.right - b.x - b.right) / 2);
