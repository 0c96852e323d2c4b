/** Stands for a body that did not parse, so that its problem is listed beside the others. */
export const unparsed = Symbol('unparsed');

/** Bytes that are no UTF-8 are refused: replacing them would make two different references the same. */
const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Reads a body. `JSON.parse` makes of a key `__proto__` a key as any other; the look at bounds copies known keys only. */
export function parseJson(bytes: Buffer): unknown {
  try {
    const text = utf8.decode(bytes);
    if (text.trim() === '') return undefined;
    return JSON.parse(text);
  } catch {
    return unparsed;
  }
}

/** Why a body is refused that is declared to be other than plain UTF-8, which JSON is (RFC 8259); null where it is not. */
export function refusalOfEncoding(headers: {
  'content-type'?: string | undefined;
  'content-encoding'?: string | undefined;
}): string | null {
  const encoding = headers['content-encoding']?.trim().toLowerCase() || 'identity';
  if (encoding !== 'identity') {
    return `The body is encoded as ${named(encoding)}, which is not taken here: send it without a content-encoding.`;
  }
  const charset = /charset\s*=\s*"?([^\s";]+)/i.exec(headers['content-type'] ?? '')?.[1] ?? 'utf-8';
  if (/^(utf-8|utf8|us-ascii)$/i.test(charset)) return null;
  return `The body is in the charset ${named(charset)}, which is not taken here: send JSON as UTF-8.`;
}

/** Encodings and charsets are short tokens; whatever else a header says is not repeated. */
const named = (token: string): string => (/^[\w.+, -]{1,40}$/.test(token) ? token : 'that the header names');
