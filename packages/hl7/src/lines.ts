/**
 * The lines of a text, each with its end: CR, LF or both. Only their ends are searched for: an expression for a whole
 * line needs a stack as deep as the line is long, and fails at a document of megabytes.
 */
export function linesWithEnds(text: string): string[] {
  const lines: string[] = [];
  let from = 0;
  for (const { 0: end, index } of text.matchAll(/\r\n|\r|\n/g)) {
    lines.push(text.slice(from, index + end.length));
    from = index + end.length;
  }
  if (from < text.length) lines.push(text.slice(from));
  return lines;
}
