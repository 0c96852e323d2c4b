import { Agent } from 'undici';
import type { Owner } from '../fair/round-robin.ts';
import type { Config } from '../config/options.ts';
import { withinTime } from '../time-limit.ts';
import { networksPolicy, type AddressPolicy } from './address-policy.ts';
import { tlsStarter, vettingConnector } from './vetting-connector.ts';
import { deploymentPolicy } from './deployment-policy.ts';
import { openResolver } from './open-resolver.ts';

/**
 * The default limits: the time from the call to the last byte of the response, and the bytes of the response body that
 * we read.
 */
const TIMEOUT_MS = 8_000;
const MAX_BYTES = 256 * 1024;
const CONNECTIONS = 32;
const KEEP_ALIVE_MS = 4_000;

/**
 * No response arrived, or its body was too large. `code` comes from the operating system, a library or this file. It
 * contains no address.
 */
export class NoResponse extends Error {
  readonly code: string;

  constructor(code: string) {
    super(`The other side gave no response that could be read: ${code}.`);
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
  maxBytes?: number;
  signal?: AbortSignal;
  /** True if the caller needs only the status. Then `ask` does not throw if the body is too large. */
  onlyStatus?: boolean;
  /**
   * The networks in which the address of the host must be. The operator configures them for this host, for example a
   * private network. Without them the policy of the deployment applies.
   */
  networks?: readonly string[];
};
/**
 * A response. If the body is too large, `text` is empty for a status of 300 or more, and with `onlyStatus`. For any
 * other response with such a body, `ask` throws.
 */
type OutboundResponse = {
  status: number;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  text: string;
};

/** The DNS look-ups of all these requests belong to no team, so we count them under this owner. */
const PROVIDERS: Owner = { org: 'providers', team: 'providers' };

/**
 * The agents of a configuration, by the networks that the caller allows. The key '' stands for the policy of the
 * deployment.
 */
const agents = new WeakMap<Config, Map<string, Agent>>();

/**
 * Sends one request to a provider of the deployment. The connector checks the address before it connects. The limits
 * are 8 seconds and 256 KiB, unless the caller sets others. If a body is larger than the limit, we close its
 * connection. If the status is 300 or more, we return it even if the body is too large. We do not follow redirects.
 * Throws NoResponse.
 */
export async function ask(
  config: Config,
  { method, url, headers = {}, body }: Question,
  { timeoutMs = TIMEOUT_MS, maxBytes = MAX_BYTES, signal, onlyStatus = false, networks }: Bounds = {},
): Promise<OutboundResponse> {
  if (!networks && deploymentPolicy(config).checkUrl(url) !== null) throw new NoResponse('address_refused');
  const { origin, pathname, search } = new URL(url);
  try {
    return await withinTime({ ms: timeoutMs, outer: signal }, async (signal) => {
      const response = await agentOf(config, networks).request({
        origin,
        path: pathname + search,
        method,
        headers: { accept: 'application/json', 'accept-encoding': 'identity', ...headers },
        body: body ?? null,
        signal,
      });
      const { statusCode: status, headers: responseHeaders } = response;
      const text = await textOrNull(response.body, maxBytes);
      if (text === null && !onlyStatus && status < 300) throw new NoResponse('answer_too_large');
      return { status, headers: responseHeaders, text: text ?? '' };
    });
  } catch (error) {
    if (error instanceof NoResponse) throw error;
    const { code, name } = error as { code?: unknown; name?: string };
    throw new NoResponse(
      typeof code === 'string' ? code.toLowerCase() : name === 'TimeoutError' ? 'timeout' : 'broken',
    );
  }
}

/**
 * Reads a body as text. Returns null if it has more than `maxBytes` bytes. The loop ends there, which destroys the
 * body and its connection.
 */
async function textOrNull(body: AsyncIterable<Buffer>, maxBytes: number): Promise<string | null> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > maxBytes) return null;
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
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: KEEP_ALIVE_MS,
  });
}
