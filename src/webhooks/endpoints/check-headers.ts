/**
 * Headers that a team may not set. The sender sets some of them. The others control the connection instead of
 * describing the message (RFC 9110 section 7.6.1).
 */
const RESERVED = new Set([
  'accept-encoding',
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'expect',
  'host',
  'http2-settings',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'user-agent',
]);
const RESERVED_PREFIXES = ['webhook-', 'svix-', 'phial-'];

const MAX_HEADERS = 32;
const MAX_NAME_LENGTH = 128;
const MAX_VALUE_LENGTH = 4096;

/** Checks the headers that a team adds to its webhooks. Returns a sentence for each problem, or an empty list. */
export function checkHeaders(headers: Record<string, string>): string[] {
  const names = Object.keys(headers);
  const problems = names.flatMap((name) => checkName(name) ?? checkValue(name, headers[name] ?? '') ?? []);
  if (names.length > MAX_HEADERS) problems.push(`At most ${MAX_HEADERS} headers are allowed.`);
  const seen = new Set<string>();
  for (const name of names) {
    if (seen.has(name.toLowerCase())) problems.push(`The header ${show(name)} occurs twice.`);
    seen.add(name.toLowerCase());
  }
  return problems;
}

function checkName(name: string): string | null {
  if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name)) return `${show(name)} is not a header name.`;
  if (name.length > MAX_NAME_LENGTH) return `The name ${show(name)} is longer than ${MAX_NAME_LENGTH} characters.`;
  const lower = name.toLowerCase();
  if (RESERVED.has(lower) || RESERVED_PREFIXES.some((prefix) => lower.startsWith(prefix))) {
    return `The header ${show(name)} is set by the service.`;
  }
  return null;
}

function checkValue(name: string, value: string): string | null {
  if (value.length > MAX_VALUE_LENGTH) {
    return `The value of ${show(name)} is longer than ${MAX_VALUE_LENGTH} characters.`;
  }
  if (!/^[\t\x20-\x7e]*$/.test(value)) {
    return `The value of ${show(name)} may hold printable ASCII characters only, and no line breaks.`;
  }
  return null;
}

/**
 * Returns a name in quotes and shortened. Otherwise a name with line breaks, or a very long one, would make the error
 * message unreadable.
 */
function show(name: string): string {
  return JSON.stringify(name.length > 40 ? `${name.slice(0, 40)}…` : name);
}
