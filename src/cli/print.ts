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

/** Prints the result of a command: the words for a person, or with --json the facts. */
export const printDone = (json: boolean, words: string, facts: object): void =>
  json ? printJson(facts) : console.log(words);

/**
 * Prints records, a line of JSON each, or with --json all of them as one document. Without records it says so on
 * stderr, because a person would not know whether the command worked.
 */
export function printRecords(json: boolean, name: string, records: readonly object[]): void {
  if (json) printJson({ [name]: records });
  else if (records.length === 0) console.error(`There are no such ${name}.`);
  else for (const record of records) console.log(JSON.stringify(record));
}

export const printJson = (value: unknown): void => console.log(JSON.stringify(value, null, 2));
