import type { Logger } from '../../../log.ts';
import type { Mapper, Pulled } from '../importer.ts';
import { summariesOf } from './fitting.ts';
import type { Found } from './read-answer.ts';

/** The devices that an answer names beside what they measured, each once: `named` is what it says of them and nothing else. */
export const devicesOf = (log: Logger, mapper: Mapper, named: readonly Found[]): Iterable<Pulled> =>
  summariesOf(log, mapper, [...new Map(named.map((raw) => [JSON.stringify(raw), raw])).values()]);
