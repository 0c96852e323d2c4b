// The largest forms that we read, made as badly as possible.

export const MAX_BYTES = 1_048_576;

/**
 * `begin`, then as many of `item` as a body can hold, then `end`, all ASCII. It fills a buffer, because a repeated text
 * of this length takes several times as long.
 */
export function filled(begin: string, item: string, end: string): Buffer {
  const count = Math.max(0, Math.floor((MAX_BYTES - begin.length - end.length) / item.length));
  return Buffer.concat([Buffer.from(begin), Buffer.alloc(count * item.length, item), Buffer.from(end)]);
}

/** The boundary of a form that names no other one. */
export const EDGE = 'edge';
const PART = `--${EDGE}\r\nContent-Disposition: form-data; name="file"; filename="a.pdf"\r\n`;
const FIELD = `--${EDGE}\r\nContent-Disposition: form-data; name="user_id"\r\n\r\n`;
const END = `\r\n--${EDGE}--\r\n`;
/** The longest form that a header can announce. */
const LONG_EDGE = 'e'.repeat(8_000);

/** The worst forms, by their problem, with the boundary of each. */
export const WORST_FORMS: Record<string, [bytes: Buffer, edge?: string]> = {
  'as many parts as fit': [filled('', `--${EDGE}\r\n\r\n\r\n`, END)],
  'as many fields as fit': [filled('', `${FIELD}x\r\n`, END)],
  'as many files as fit': [filled('', `${PART}\r\n%PDF-\r\n`, END)],
  'edges alone': [filled('', `--${EDGE}\r\n`, '')],
  'almost edges in a file': [filled(`${PART}\r\n%PDF-`, `\r\n--${EDGE.slice(0, -1)}`, END)],
  'beginnings of edges in a file': [filled(`${PART}\r\n%PDF-`, '\r\n-', END)],
  'returns in a file': [filled(`${PART}\r\n%PDF-`, '\r', END)],
  'dashes in a file': [filled(`${PART}\r\n%PDF-`, '-', END)],
  'a header without an end': [filled(`${PART}X-A: `, 'a', '')],
  'many headers': [filled(PART, 'X-A: a\r\n', `\r\n%PDF-${END}`)],
  'a header of many lines': [filled(`${PART}X-A: a\r\n`, ' a\r\n', `\r\n%PDF-${END}`)],
  'a long name': [filled(`--${EDGE}\r\nContent-Disposition: form-data; name="`, 'a', `"\r\n\r\nx${END}`)],
  'many parameters': [filled(`--${EDGE}\r\nContent-Disposition: form-data`, '; name="a"', `\r\n\r\nx${END}`)],
  'many parameters in each part': [
    filled('', `--${EDGE}\r\nContent-Disposition: form-data${"; a*=utf-8''%41".repeat(200)}\r\n\r\nx\r\n`, END),
  ],
  'escapes in a name': [filled(`--${EDGE}\r\nContent-Disposition: form-data; name="`, '\\"', `"\r\n\r\nx${END}`)],
  'a long field': [filled(FIELD, 'a', END)],
  'forms within forms': [filled('', `--${EDGE}\r\nContent-Type: multipart/mixed; boundary=${EDGE}\r\n\r\n`, END)],
  'a file without an end': [filled(`${PART}\r\n%PDF-`, 'a', '')],
  'no form': [filled('', 'a', '')],
  'a long edge, almost again and again': [
    filled(`--${LONG_EDGE}${PART.slice(EDGE.length + 2)}\r\n%PDF-`, `\r\n--${LONG_EDGE.slice(0, -1)}`, ''),
    LONG_EDGE,
  ],
  'a long edge in a text of its letter': [
    filled(`--${LONG_EDGE}${PART.slice(EDGE.length + 2)}\r\n%PDF-\r\n--`, 'e', ''),
    LONG_EDGE,
  ],
};
