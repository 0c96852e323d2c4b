import { readFile, stat } from 'node:fs/promises';
import { Resolver, type LookupAddress, type RecordWithTtl } from 'node:dns';
import { isIP } from 'node:net';
import { promisify } from 'node:util';
import type { Owner } from '../fair/round-robin.ts';
import { LookupPermits } from './lookup-permits.ts';

const MAX_CACHED = 10_000;
/** The most TXT records that we return for one name. */
const MAX_TEXTS = 100;
/** The longest time for which we cache an answer, even if its TTL is longer. */
const LONGEST_CACHED_SECONDS = 30;
const HOSTS_FILE = '/etc/hosts';
const HOSTS_READ_AGAIN_MS = 5_000;

/** No name server answered, or the answer was an error other than "no such name". */
export class NameNotResolved extends Error {}

/** The look-up failed. `code` is the code that getaddrinfo would return. */
class LookupFailed extends Error {
  readonly code: 'ENOTFOUND' | 'EAI_AGAIN';

  constructor(hostname: string, cause: unknown) {
    const code = (cause as { code?: string }).code;
    super(`${hostname} could not be looked up`, { cause });
    this.code = code === 'ENOTFOUND' || code === 'ENODATA' ? 'ENOTFOUND' : 'EAI_AGAIN';
  }
}

export type NameResolver = {
  /**
   * Returns all addresses of a host name. `forMs` is how long the caller waits. Rejects with ENOTFOUND or EAI_AGAIN.
   */
  lookup: (owner: Owner, hostname: string, forMs?: number) => Promise<LookupAddress[]>;
};

export type TextResolver = {
  /**
   * Returns the TXT records of a name, or an empty list if it has none. We never cache the records. Rejects with
   * NameNotResolved.
   */
  texts: (owner: Owner, hostname: string) => Promise<string[]>;
};

/** The callers that wait for one look-up. `until` is the time until which at least one of them waits. */
type Asker = { until: number };

type Options = { servers?: string[]; hostsFile?: string; timeoutMs?: number };

/**
 * Resolves host names, for example those of endpoints. getaddrinfo would occupy one of Node's four threads until the
 * name server answers, and files and cryptography need these threads too. So this resolver queries the name servers
 * from the event loop.
 * Each owner has only its share of the look-ups at the same time. If a team asks for the same name several times at
 * once, we make one look-up. We answer localhost and the names in /etc/hosts ourselves. We do not use search domains,
 * because URLs of endpoints contain complete names.
 */
export function openResolver({ servers, hostsFile = HOSTS_FILE, timeoutMs = 3_000 }: Options = {}): NameResolver &
  TextResolver {
  const resolver = new Resolver({ timeout: timeoutMs, tries: 2 });
  if (servers) resolver.setServers(servers);
  const ask4 = promisify(resolver.resolve4.bind(resolver)) as (
    name: string,
    o: { ttl: true },
  ) => Promise<RecordWithTtl[]>;
  const ask6 = promisify(resolver.resolve6.bind(resolver)) as (
    name: string,
    o: { ttl: true },
  ) => Promise<RecordWithTtl[]>;
  const askTexts = promisify(resolver.resolveTxt.bind(resolver)) as (name: string) => Promise<string[][]>;
  const hosts = hostsReader(hostsFile);
  const permits = new LookupPermits();
  const underWay = new Map<string, { asker: Asker; addresses: Promise<LookupAddress[]> }>();
  const cached = new Map<string, { addresses: LookupAddress[]; until: number }>();

  const ask = async (hostname: string): Promise<LookupAddress[]> => {
    const [four, six] = await Promise.allSettled([ask4(hostname, { ttl: true }), ask6(hostname, { ttl: true })]);
    if (four.status === 'rejected' && six.status === 'rejected') throw new LookupFailed(hostname, four.reason);
    const records = [
      ...(four.status === 'fulfilled' ? four.value.map((record) => ({ ...record, family: 4 })) : []),
      ...(six.status === 'fulfilled' ? six.value.map((record) => ({ ...record, family: 6 })) : []),
    ];
    const addresses = records.map(({ address, family }) => ({ address, family }));
    const seconds = Math.min(LONGEST_CACHED_SECONDS, ...records.map(({ ttl }) => ttl));
    if (cached.size >= MAX_CACHED) cached.clear();
    if (seconds > 0) cached.set(hostname, { addresses, until: performance.now() + seconds * 1000 });
    return addresses;
  };

  const askRoundRobin = async (owner: Owner, name: string, asker: Asker): Promise<LookupAddress[]> => {
    const done = await permits.take(owner, () => performance.now() < asker.until);
    if (!done) throw new LookupFailed(name, new Error('Nobody awaits the look-up any more.'));
    return ask(name).finally(done);
  };

  const askOnce = async (owner: Owner, name: string, until: number): Promise<LookupAddress[]> => {
    const key = `${owner.team} ${name}`;
    const known = underWay.get(key);
    if (known) {
      known.asker.until = Math.max(known.asker.until, until);
      return known.addresses;
    }
    const asker = { until };
    const addresses = askRoundRobin(owner, name, asker).finally(() => underWay.delete(key));
    underWay.set(key, { asker, addresses });
    return addresses;
  };

  const lookup = async (owner: Owner, hostname: string, forMs = Infinity): Promise<LookupAddress[]> => {
    const name = hostname.toLowerCase().replace(/\.$/, '');
    if (isIP(name) !== 0) return [{ address: name, family: isIP(name) }];
    if (name === 'localhost' || name.endsWith('.localhost')) return LOCALHOST;
    const fromHosts = (await hosts()).get(name);
    if (fromHosts) return fromHosts;
    const known = cached.get(name);
    if (known && known.until > performance.now()) return known.addresses;
    return askOnce(owner, name, performance.now() + forMs);
  };
  const texts = async (owner: Owner, hostname: string): Promise<string[]> => {
    const done = await permits.take(owner);
    try {
      const records = await askTexts(hostname);
      return records.slice(0, MAX_TEXTS).map((chunks) => chunks.join(''));
    } catch (error) {
      const { code } = error as { code?: string };
      if (code === 'ENOTFOUND' || code === 'ENODATA') return [];
      throw new NameNotResolved(`${hostname} could not be looked up`, { cause: error });
    } finally {
      done?.();
    }
  };
  return { lookup, texts };
}

/** The addresses of localhost. It is always this machine, whatever a name server answers (RFC 6761 6.3). */
const LOCALHOST: LookupAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

/**
 * Returns a function that returns the names of the hosts file. It reads the file again if it has changed. Callers wait
 * while it is read.
 */
function hostsReader(file: string): () => Promise<Map<string, LookupAddress[]>> {
  let names = Promise.resolve(new Map<string, LookupAddress[]>());
  let version = -1;
  let checkedAt = -Infinity;

  const readAgain = async (known: Map<string, LookupAddress[]>): Promise<Map<string, LookupAddress[]>> => {
    try {
      const { mtimeMs } = await stat(file);
      if (mtimeMs === version) return known;
      const read = parseHosts(await readFile(file, 'utf8'));
      version = mtimeMs;
      return read;
    } catch {
      version = -1;
      return new Map();
    }
  };
  return () => {
    if (performance.now() - checkedAt >= HOSTS_READ_AGAIN_MS) {
      checkedAt = performance.now();
      names = names.then(readAgain);
    }
    return names;
  };
}

function parseHosts(text: string): Map<string, LookupAddress[]> {
  const names = new Map<string, LookupAddress[]>();
  for (const line of text.split('\n')) {
    const [address = '', ...aliases] = (line.split('#')[0] as string).trim().split(/\s+/);
    const family = isIP(address);
    if (family === 0) continue;
    for (const alias of aliases) {
      const name = alias.toLowerCase();
      names.set(name, [...(names.get(name) ?? []), { address, family }]);
    }
  }
  return names;
}
