/** Stands for a body that did not parse, so that its problem is listed beside the others. */
export const unparsed = Symbol('unparsed');

// The key as it may be written, its letters escaped or not: reviving every value costs five times the parsing.
const MAY_HOLD_PROTO = /__proto__|\\u00/;

/** `__proto__` is refused as any other text that is not the JSON we can take: nothing downstream has to think of it. */
export function parseJson(text: string): unknown {
  if (text.trim() === '') return undefined;
  try {
    if (!MAY_HOLD_PROTO.test(text)) return JSON.parse(text);
    return JSON.parse(text, (key, value) => {
      if (key === '__proto__') throw new SyntaxError('reserved key');
      return value;
    });
  } catch {
    return unparsed;
  }
}
