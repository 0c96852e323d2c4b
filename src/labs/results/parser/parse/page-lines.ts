/**
 * A text with its position on the page. `x` and `right` are its left and right ends. `y` is the distance from the
 * bottom of the page.
 */
export type Item = { text: string; x: number; right: number; y: number; size: number };
/** Adjacent texts of one line, joined. `y` is the position of one of these texts. */
export type Cell = { text: string; x: number; right: number; y: number };
export type Line = Cell[];

/**
 * The smallest gap between two columns, and the smallest gap that counts as a space. Both are multiples of the size of
 * the letters. A space is usually about a quarter of the size. A gap between columns is usually as wide as a letter or
 * wider.
 */
const GAP = 0.9;
const SPACE = 0.12;
/** The maximum number of cells in a line. No line of a report has more. */
const MAX_CELLS = 40;
const LONGEST_CELL = 1_000;

/** Returns the lines of a page from top to bottom. Gaps divide each line into cells. */
export function linesOf(items: Item[]): Line[] {
  const lines: Item[][] = [];
  let current: Item[] = [];
  for (const item of items.toSorted((a, b) => b.y - a.y || a.x - b.x)) {
    const first = current[0];
    if (first && Math.abs(first.y - item.y) <= Math.min(first.size, item.size) * 0.4) current.push(item);
    else lines.push((current = [item]));
  }
  return lines.map(cellsOf).filter((line) => line.length > 0 && line.length <= MAX_CELLS);
}

function cellsOf(items: Item[]): Line {
  const cells: Line = [];
  for (const { text, x, right, y, size } of items.toSorted((a, b) => a.x - b.x)) {
    const last = cells.at(-1);
    const gap = last ? x - last.right : Infinity;
    if (!last || gap > size * GAP) cells.push({ text, x, right, y });
    else {
      const space = gap > size * SPACE && !/\s$/.test(last.text) && !/^\s/.test(text) ? ' ' : '';
      last.text += space + text;
      last.right = Math.max(last.right, right);
    }
  }
  return cells
    .flatMap(byWideSpaces)
    .map((cell) => ({ ...cell, text: cell.text.replaceAll(/\s+/g, ' ').trim().slice(0, LONGEST_CELL) }))
    .filter(({ text }) => text !== '');
}

/**
 * Splits a text in which sequences of spaces separate the columns, as on a typewriter. The function assumes that all
 * letters have the same width.
 */
function byWideSpaces(cell: Cell): Cell[] {
  if (!/\S\s{3,}\S/.test(cell.text)) return [cell];
  const letter = (cell.right - cell.x) / cell.text.length;
  return [...cell.text.matchAll(/\S+(?:\s{1,2}\S+)*/g)].map((match) => ({
    text: match[0],
    y: cell.y,
    x: cell.x + match.index * letter,
    right: cell.x + (match.index + match[0].length) * letter,
  }));
}
