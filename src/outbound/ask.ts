import { Agent } from 'undici';
import type { Config } from '../config/options.ts';
import { withinTime } from '../time-limit.ts';
import { tlsStarter, vettingConnector } from './connector.ts';
import { deploymentPolicy } from './deployment-policy.ts';
import { openResolver } from './resolve.ts';

/** From the call to the last byte of the answer, and how much of one is read, where the caller does not say otherwise. */
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
type Bounds = { timeoutMs?: number; mostBytes?: number; signal?: AbortSignal };
type Answer = { status: number; headers: Readonly<Record<string, string | string[] | undefined>>; text: string };

const agents = new WeakMap<Config, Agent>();

/**
 * One request to a provider of the deployment, over vetted connections, within 8 seconds and 256 KiB where the caller sets
 * no bounds of its own. Redirects are not followed.
 */
export async function ask(
  config: Config,
  { method, url, headers = {}, body }: Question,
  { timeoutMs = TIMEOUT_MS, mostBytes = MOST_BYTES, signal }: Bounds = {},
): Promise<Answer> {
  if (deploymentPolicy(config).checkUrl(url) !== null) throw new NoAnswer('address_refused');
  const { origin, pathname, search } = new URL(url);
  try {
    return await withinTime({ ms: timeoutMs, outer: signal }, async (signal) => {
      const answer = await agentOf(config).request({
        origin,
        path: pathname + search,
        method,
        headers: { accept: 'application/json', 'accept-encoding': 'identity', ...headers },
        body: body ?? null,
        signal,
      });
      const chunks: Buffer[] = [];
      let bytes = 0;
      for await (const chunk of answer.body as AsyncIterable<Buffer>) {
        bytes += chunk.length;
        if (bytes > mostBytes) throw new NoAnswer('answer_too_large');
        chunks.push(chunk);
      }
      return { status: answer.statusCode, headers: answer.headers, text: Buffer.concat(chunks).toString('utf8') };
    });
  } catch (error) {
    if (error instanceof NoAnswer) throw error;
    const { code, name } = error as { code?: unknown; name?: string };
    throw new NoAnswer(typeof code === 'string' ? code.toLowerCase() : name === 'TimeoutError' ? 'timeout' : 'broken');
  }
}

function agentOf(config: Config): Agent {
  let agent = agents.get(config);
  if (!agent) {
    const resolver = openResolver();
    agent = new Agent({
      connect: vettingConnector({
        policy: deploymentPolicy(config),
        timeoutMs: TIMEOUT_MS,
        startTls: tlsStarter(TIMEOUT_MS),
        lookup: (hostname) => resolver.lookup('providers', hostname),
      }),
      connections: CONNECTIONS,
      pipelining: 1,
      allowH2: false,
      keepAliveTimeout: KEPT_MS,
      keepAliveMaxTimeout: KEPT_MS,
    });
    agents.set(config, agent);
  }
  return agent;
}
