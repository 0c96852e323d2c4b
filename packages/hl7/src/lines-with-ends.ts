/**
 * Returns the lines of a text, each with its end: CR, LF or both. The regular expression matches only line ends. An
 * expression that matches entire lines needs a stack as deep as the line is long, so it fails for a document of several
 * megabytes.
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
