import type { IncomingHttpHeaders } from 'node:http';
import { AppError } from '../../errors.ts';
import type { DeprecatedHeader } from './caller.ts';

const MANAGEMENT_HEADER = 'x-management-key';

/** What MANAGEMENT_HEADER has replaced. */
export const DEPRECATED_MANAGEMENT_HEADER: DeprecatedHeader = {
  name: 'x-service-org-key',
  since: '2025-01-01',
  documentation: '/docs#description/authentication',
};

/** Names of the management key's header, documented one first. */
export const MANAGEMENT_HEADERS = [MANAGEMENT_HEADER, DEPRECATED_MANAGEMENT_HEADER.name];

const DOCUMENTED_WORD = 'service';
export const TEAM_KEY_HEADER = `x-${DOCUMENTED_WORD}-api-key`;
export const LINK_TOKEN_HEADER = `x-${DOCUMENTED_WORD}-link-token`;

type Suffix = 'api-key' | 'link-token';

/** Longer words are of no client, and the answer that repeats one is bounded. */
const ANY_PREFIX = /^x-[a-z0-9][a-z0-9-]{0,39}-$/;

/** A key or token as it was sent; `value` is undefined where there is none. */
type Sent = {
  value: string | undefined;
  /** Of the header `x-<word>-api-key` that brought it. */
  word: string;
  /** Several headers bring different values, none of which is taken. */
  conflict: AppError | null;
  /** What a refusal adds to its text: which headers are read, where another one was sent. */
  hint: string;
};

/** The team key, in whichever header of its form it came. */
export const sentTeamKey = (headers: IncomingHttpHeaders, prefixes: readonly string[]): Sent =>
  readHeader(headers, 'api-key', prefixes);

/** The same of a link token. */
export const sentLinkToken = (headers: IncomingHttpHeaders, prefixes: readonly string[]): Sent =>
  readHeader(headers, 'link-token', prefixes);

/** @param prefixes those to be taken beside the documented one; empty: any */
function readHeader(headers: IncomingHttpHeaders, suffix: Suffix, prefixes: readonly string[]): Sent {
  const documented = `x-${DOCUMENTED_WORD}-`;
  const taken = (prefix: string): boolean =>
    prefix === documented || (prefixes.length === 0 ? ANY_PREFIX.test(prefix) : prefixes.includes(prefix));
  const sent: Sent = { value: undefined, word: DOCUMENTED_WORD, conflict: null, hint: '' };
  for (const name in headers) {
    if (!name.endsWith(suffix)) continue;
    const value = headers[name];
    if (typeof value !== 'string' || value === '') continue;
    const prefix = name.slice(0, -suffix.length);
    if (!taken(prefix)) {
      if (ANY_PREFIX.test(prefix)) sent.hint = ` ${onlyThese(suffix, [documented, ...prefixes])}`;
    } else if (sent.value !== undefined && sent.value !== value) {
      sent.conflict = differentValues(suffix);
    } else if (sent.value === undefined || prefix === documented) {
      sent.value = value;
      sent.word = wordOf(prefix);
    }
  }
  return sent;
}

const wordOf = (prefix: string): string => prefix.replace(/^x-/, '').slice(0, -1);

const onlyThese = (suffix: Suffix, prefixes: readonly string[]): string =>
  `This deployment reads ${[...new Set(prefixes)].map((prefix) => prefix + suffix).join(', ')} and no other header of ` +
  'that form: see PHIAL_HEADER_PREFIXES.';

/** Which of them is meant, nobody here can tell. */
const differentValues = (suffix: Suffix): AppError =>
  new AppError(
    'invalid_api_key',
    `Several headers of the form x-<word>-${suffix} came with different values. Send one of them. Where a gateway adds ` +
      'one of its own, name the prefixes to be read in PHIAL_HEADER_PREFIXES.',
  );
