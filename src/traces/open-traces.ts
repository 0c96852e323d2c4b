import type { Config } from '../config/options.ts';
import type { Logger } from '../log.ts';
import type { Traces } from './traces.ts';

/**
 * Opens the traces if the option is set. Otherwise it returns null and loads nothing: the packages of OpenTelemetry
 * would add to the time of a start and to the memory of a process.
 */
export async function openTraces(
  { traces, region, environment }: Pick<Config, 'traces' | 'region' | 'environment'>,
  { role, version, log }: { role: string; version: string; log: Logger },
): Promise<Traces | null> {
  if (traces === null) return null;
  const { sendTraces } = await import('./send-traces.ts');
  return sendTraces(traces, {
    log,
    version,
    about: {
      'service.name': 'phial',
      'service.version': version,
      'service.instance.id': `${role}-${process.pid}`,
      'deployment.environment.name': `${environment}-${region}`,
    },
  });
}
