import type { IncomingHttpHeaders } from 'node:http';
import { AppError } from '../../errors.ts';
import type { DeprecatedHeader } from './caller.ts';

const MANAGEMENT_HEADER = 'x-management-key';

/** A deprecated name of the header for the management key. MANAGEMENT_HEADER replaces it. */
export const DEPRECATED_MANAGEMENT_HEADER: DeprecatedHeader = {
  name: 'x-service-org-key',
  since: '2025-01-01',
  documentation: '/docs/introduction#authentication',
};

/** Header names for the management key. The documented name is first. */
export const MANAGEMENT_HEADERS = [MANAGEMENT_HEADER, DEPRECATED_MANAGEMENT_HEADER.name];

const DOCUMENTED_WORD = 'service';
export const TEAM_KEY_HEADER = `x-${DOCUMENTED_WORD}-api-key`;
export const LINK_TOKEN_HEADER = `x-${DOCUMENTED_WORD}-link-token`;

type Suffix = 'api-key' | 'link-token';

/**
 * Matches the prefix of a header name, `x-<word>-`. It allows longer words than any client that we know. Some refusals
 * repeat the prefix, so the limit of 40 characters keeps refusals short.
 */
const ANY_PREFIX = /^x-[a-z0-9][a-z0-9-]{0,39}-$/;

/** The key or token that a request sent. `value` is undefined if the request sent none. */
type SentKey = {
  value: string | undefined;
  /** The word in the name of the header, `x-<word>-api-key`. */
  word: string;
  /** Set if several headers have different values. We then use no value. */
  conflict: AppError | null;
  /**
   * A sentence for refusals: the names of the headers that we read. Set if the request has a header `x-<word>-api-key`
   * that we do not read. Otherwise empty.
   */
  advice: string;
};

/** Reads the team key from any header `x-<word>-api-key` with an accepted prefix. */
export const sentTeamKey = (headers: IncomingHttpHeaders, prefixes: readonly string[]): SentKey =>
  readHeader(headers, 'api-key', prefixes);

/** Reads the link token from any header `x-<word>-link-token` with an accepted prefix. */
export const sentLinkToken = (headers: IncomingHttpHeaders, prefixes: readonly string[]): SentKey =>
  readHeader(headers, 'link-token', prefixes);

/** @param prefixes the accepted prefixes in addition to the documented one. An empty list accepts every prefix */
function readHeader(headers: IncomingHttpHeaders, suffix: Suffix, prefixes: readonly string[]): SentKey {
  const documented = `x-${DOCUMENTED_WORD}-`;
  const taken = (prefix: string): boolean =>
    prefix === documented || (prefixes.length === 0 ? ANY_PREFIX.test(prefix) : prefixes.includes(prefix));
  const sent: SentKey = { value: undefined, word: DOCUMENTED_WORD, conflict: null, advice: '' };
  for (const name in headers) {
    if (!name.endsWith(suffix)) continue;
    const value = headers[name];
    if (typeof value !== 'string' || value === '') continue;
    const prefix = name.slice(0, -suffix.length);
    if (!taken(prefix)) {
      if (ANY_PREFIX.test(prefix)) sent.advice = ` ${onlyThese(suffix, [documented, ...prefixes])}`;
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
  `This deployment reads ${[...new Set(prefixes)].map((prefix) => prefix + suffix).join(', ')} and no other ` +
  'header of that form: see PHIAL_HEADER_PREFIXES.';

/** The error for headers with different values. We cannot know which value the client meant. */
const differentValues = (suffix: Suffix): AppError =>
  new AppError(
    'invalid_api_key',
    `Several headers of the form x-<word>-${suffix} have different values. Send one of them. If a gateway ` +
      'adds its own, name the prefixes to read in PHIAL_HEADER_PREFIXES.',
  );
