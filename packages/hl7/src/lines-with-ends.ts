/**
 * Returns the lines of a text, each with its end: CR, LF or both. The expression matches line ends and not whole lines.
 * An expression for whole lines would need too much stack for a line of several megabytes, such as a document.
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
