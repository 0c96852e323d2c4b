import { createServer } from 'node:net';
import type { Config } from './options.ts';

type OptionPort = { option: string; port: number };

/** Errors of an address, which every port would have. */
const OF_THE_HOST = new Set(['ENOTFOUND', 'EAI_AGAIN', 'EADDRNOTAVAIL', 'EINVAL']);

/** How many ports we try to find a free one that we can suggest. */
const MAX_LOOKED_AT = 20;

/** Returns the ports on which a process will listen. */
export const portsOf = (
  role: 'serve' | 'api' | 'worker',
  { port, metricsPort, hl7 }: Pick<Config, 'port' | 'metricsPort' | 'hl7'>,
): OptionPort[] => [
  ...(role === 'worker' ? [] : [{ option: 'PORT', port }]),
  ...(metricsPort === null ? [] : [{ option: 'PHIAL_METRICS_PORT', port: metricsPort }]),
  ...(role === 'api' || hl7.port === null ? [] : [{ option: 'PHIAL_HL7_PORT', port: hl7.port }]),
];

/**
 * Throws if we cannot listen on one of the ports. In most cases another program uses the port. The error says how to
 * continue.
 */
export async function refuseTakenPorts(host: string, wanted: OptionPort[]): Promise<void> {
  for (const [index, { option, port }] of wanted.entries()) {
    const twin = wanted.slice(0, index).find((other) => port !== 0 && other.port === port);
    if (twin) throw new Error(`${twin.option} and ${option} name the same port ${port}. Give each one its own port.`);
    const problem = await problemOf(host, port);
    if (problem === null) continue;
    if (OF_THE_HOST.has(problem.code ?? ''))
      throw new Error(
        `PHIAL_HOST=${host} cannot be used: ${problem.message}. Name an address of this machine, or localhost.`,
        { cause: problem },
      );
    if (problem.code !== 'EADDRINUSE')
      throw new Error(`${option}=${port} cannot be used: ${problem.message}.`, { cause: problem });
    const free = await findFreeOrNull(host, port, wanted);
    throw new Error(
      `Another program uses port ${port} of ${host}. Stop it, or choose another ` +
        `port${free ? `: ${option}=${free}` : ` with ${option}`}.`,
    );
  }
}

async function findFreeOrNull(host: string, taken: number, wanted: OptionPort[]): Promise<number | null> {
  for (let port = taken + 1; port <= Math.min(taken + MAX_LOOKED_AT, 65_535); port += 1) {
    if (!wanted.some((other) => other.port === port) && (await problemOf(host, port)) === null) return port;
  }
  return null;
}

/** Tries to listen on the port. Returns the error, or null if it worked. */
function problemOf(host: string, port: number): Promise<NodeJS.ErrnoException | null> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', resolve);
    probe.listen({ host, port }, () => probe.close(() => resolve(null)));
  });
}
