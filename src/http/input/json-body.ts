/** Stands for a body that did not parse, so that its problem is listed beside the others. */
export const unparsed = Symbol('unparsed');

// The key as it may be written, its letters escaped or not: reviving every value costs five times the parsing.
const MAY_HOLD_PROTO = /__proto__|\\u00/;

/** Bytes that are no UTF-8 are refused: replacing them would make two different references the same. */
const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Reads a body. A key `__proto__` is dropped, as every unknown key is, before anything could think it meant something. */
export function parseJson(bytes: Buffer): unknown {
  try {
    const text = utf8.decode(bytes);
    if (text.trim() === '') return undefined;
    if (!MAY_HOLD_PROTO.test(text)) return JSON.parse(text);
    return JSON.parse(text, (key, value) => (key === '__proto__' ? undefined : value));
  } catch {
    return unparsed;
  }
}

/** True where the body is declared to be other than plain UTF-8, which JSON is (RFC 8259). */
export function isEncodedOtherwise(headers: {
  'content-type'?: string | undefined;
  'content-encoding'?: string | undefined;
}): boolean {
  const charset = /charset\s*=\s*"?([^\s";]+)/i.exec(headers['content-type'] ?? '')?.[1] ?? 'utf-8';
  const encoding = headers['content-encoding'] ?? 'identity';
  return !/^(utf-8|utf8|us-ascii)$/i.test(charset) || encoding.toLowerCase() !== 'identity';
}
