import { Agent } from 'undici';
import type { Owner } from '../fair/round-robin.ts';
import type { Config } from '../config/options.ts';
import { withinTime } from '../time-limit.ts';
import { networksPolicy, type AddressPolicy } from './address-policy.ts';
import { tlsStarter, vettingConnector } from './connector.ts';
import { deploymentPolicy } from './deployment-policy.ts';
import { openResolver } from './resolve.ts';

/**
 * From the call to the last byte of the answer, and how much of one is read, where the caller does not say otherwise.
 */
const TIMEOUT_MS = 8_000;
const MOST_BYTES = 256 * 1024;
const CONNECTIONS = 32;
const KEPT_MS = 4_000;

/** No answer came, or more of one than is read. `code` is the system's or library's own, and holds no address. */
export class NoAnswer extends Error {
  readonly code: string;

  constructor(code: string) {
    super(`The other side gave no answer that could be read: ${code}.`);
    this.code = code;
  }
}

type Question = {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  url: string;
  headers?: Record<string, string>;
  body?: string;
};
type Bounds = {
  timeoutMs?: number;
  mostBytes?: number;
  signal?: AbortSignal;
  /** What came with the status is the caller's no matter, however much it is. */
  onlyStatus?: boolean;
  /** The only addresses that the host may have, which the operator has named for this one, as of a private network. */
  networks?: readonly string[];
};
/** `text` is empty where the status alone counts and more came with it than is read. */
type Answer = { status: number; headers: Readonly<Record<string, string | string[] | undefined>>; text: string };

/** By the networks that are allowed; '' where those of the deployment are. */
/** The deployment's own, as it is for all teams. */
const PROVIDERS: Owner = { org: 'providers', team: 'providers' };

const agents = new WeakMap<Config, Map<string, Agent>>();

/**
 * One request to a provider of the deployment, over vetted connections, within 8 seconds and 256 KiB where the caller
 * sets no bounds of its own. Of each answer as much is read, and of what is more its connection is closed: an error is
 * told by its status however long its page is. Redirects are not followed.
 */
export async function ask(
  config: Config,
  { method, url, headers = {}, body }: Question,
  { timeoutMs = TIMEOUT_MS, mostBytes = MOST_BYTES, signal, onlyStatus = false, networks }: Bounds = {},
): Promise<Answer> {
  if (!networks && deploymentPolicy(config).checkUrl(url) !== null) throw new NoAnswer('address_refused');
  const { origin, pathname, search } = new URL(url);
  try {
    return await withinTime({ ms: timeoutMs, outer: signal }, async (signal) => {
      const answer = await agentOf(config, networks).request({
        origin,
        path: pathname + search,
        method,
        headers: { accept: 'application/json', 'accept-encoding': 'identity', ...headers },
        body: body ?? null,
        signal,
      });
      const { statusCode: status, headers: told } = answer;
      const text = await textOrNull(answer.body, mostBytes);
      if (text === null && !onlyStatus && status < 300) throw new NoAnswer('answer_too_large');
      return { status, headers: told, text: text ?? '' };
    });
  } catch (error) {
    if (error instanceof NoAnswer) throw error;
    const { code, name } = error as { code?: unknown; name?: string };
    throw new NoAnswer(typeof code === 'string' ? code.toLowerCase() : name === 'TimeoutError' ? 'timeout' : 'broken');
  }
}

/** Null where it is more; leaving the loop destroys the body, and its connection with it. */
async function textOrNull(body: AsyncIterable<Buffer>, mostBytes: number): Promise<string | null> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > mostBytes) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function agentOf(config: Config, networks: readonly string[] | undefined): Agent {
  const known = agents.get(config) ?? new Map<string, Agent>();
  agents.set(config, known);
  const name = networks?.join(' ') ?? '';
  const agent = known.get(name) ?? agentFor(networks ? networksPolicy([...networks]) : deploymentPolicy(config));
  known.set(name, agent);
  return agent;
}

function agentFor(policy: AddressPolicy): Agent {
  const resolver = openResolver();
  return new Agent({
    connect: vettingConnector({
      policy,
      timeoutMs: TIMEOUT_MS,
      startTls: tlsStarter(TIMEOUT_MS),
      lookup: (hostname, forMs) => resolver.lookup(PROVIDERS, hostname, forMs),
    }),
    connections: CONNECTIONS,
    pipelining: 1,
    allowH2: false,
    keepAliveTimeout: KEPT_MS,
    keepAliveMaxTimeout: KEPT_MS,
  });
}
