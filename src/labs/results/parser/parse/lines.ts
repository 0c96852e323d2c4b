/** A piece of text and where it stands: `x` to `right` along the line, `y` from the foot of the page. */
export type Item = { text: string; x: number; right: number; y: number; size: number };
/** Texts that stand together; `y` as of an item. */
export type Cell = { text: string; x: number; right: number; y: number };
export type Line = Cell[];

/** A space is about a quarter of the letters' size, a gap between columns more than their size. */
const GAP = 0.9;
const SPACE = 0.12;
/** No line of a report has more. */
const MOST_CELLS = 40;
const LONGEST_CELL = 1_000;

/** The lines of a page from its head to its foot, each cut into cells where there is a gap. */
export function linesOf(items: Item[]): Line[] {
  const lines: Item[][] = [];
  let current: Item[] = [];
  for (const item of items.toSorted((a, b) => b.y - a.y || a.x - b.x)) {
    const first = current[0];
    if (first && Math.abs(first.y - item.y) <= Math.min(first.size, item.size) * 0.4) current.push(item);
    else lines.push((current = [item]));
  }
  return lines.map(cellsOf).filter((line) => line.length > 0 && line.length <= MOST_CELLS);
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

/** Columns that were set with spaces, as a typewriter does, are one text: its letters are taken for equally wide. */
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
