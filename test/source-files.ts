import { readdirSync, readFileSync } from 'node:fs';

/** The program's source files with their text; tests and generated files are not among them. */
export const sources: { file: string; text: string }[] = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .map((file) => `src/${file}`)
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
  .toSorted()
  .map((file) => ({ file, text: readFileSync(file, 'utf8') }));

/** Where a file lies, without `src/` and `.ts`: labs/orders/cancel. */
export const placeOf = (file: string): string => file.replace(/^src\/|\.ts$/g, '');

/** Whether a place is `under` or lies below it. */
export const isUnder = (place: string, under: string): boolean => place === under || place.startsWith(`${under}/`);
