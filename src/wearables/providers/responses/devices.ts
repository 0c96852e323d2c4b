import type { Logger } from '../../../log.ts';
import type { Mapper, Pulled } from '../importer.ts';
import { summariesOf } from './fitting.ts';
import type { ProviderObject } from './read-response.ts';

/**
 * Returns every device that a provider's response names, each once. `named` has only those parts of the response that
 * describe a device.
 */
export const devicesOf = (log: Logger, mapper: Mapper, named: readonly ProviderObject[]): Iterable<Pulled> =>
  summariesOf(log, mapper, [...new Map(named.map((raw) => [JSON.stringify(raw), raw])).values()]);
