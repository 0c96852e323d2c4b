// What commands print for people. Programs ask for JSON.

/** Returns the rows as a table without lines. The columns are as wide as their longest cell. */
export function tableOf(heads: string[], rows: (string | number | null)[][]): string {
  const cells = [heads, ...rows.map((row) => row.map((cell) => (cell === null ? '-' : String(cell))))];
  const widths = heads.map((_, at) => Math.max(...cells.map((row) => (row[at] as string).length)));
  return cells
    .map((row) =>
      row
        .map((cell, at) => cell.padEnd(widths[at] as number))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

export const printJson = (value: unknown): void => console.log(JSON.stringify(value, null, 2));
