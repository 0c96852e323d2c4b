// https://developer.dexcom.com/docs/dexcomv3/endpoint-overview, "egvs" (estimated glucose values). Dexcom sends no
// notifications, so we poll.
import { offsetWithin } from '../../calendar-date.ts';
import { PullError, type Importer } from '../importer.ts';

import { samplesOf, type Measured } from '../responses/fitting.ts';
import { momentIn, numberOr, objectIn, objectsIn, textOr, type ProviderObject } from '../responses/read-response.ts';
import { waitsOfShares, numbersOf } from '../responses/shares.ts';
import type { ProviderApi } from '../provider-api.ts';

const EGVS = 'https://api.dexcom.com/v3/users/self/egvs';
const UNITS = ['mg/dL', 'mmol/L'];
const SOURCE = { provider: 'dexcom_v3', source_type: 'automatic' };

/** The wait in seconds if Dexcom refuses a request because of its limit and states no time. */
const LIMIT_SECONDS = 300;

/** The application may send 60,000 requests an hour for all its users. Responses do not state how many are left. */
const api: ProviderApi = {
  slug: 'dexcom_v3',
  waitsOf: (status, headers) => waitsOfShares(status, [], numbersOf(headers, 'retry-after')[0] ?? LIMIT_SECONDS),
};

export const importer: Importer = {
  resources: { glucose: { windowDays: 30 } },
  // Values reach Dexcom's API an hour late, in some countries three hours, and later still if the phone was switched
  // off.
  pollDays: 3,
  pollEverySeconds: 900,
  mappers: {},
  pull: async function* (source, _resource, { from, to }) {
    // Dexcom reads times without an offset as UTC.
    const query = { startDate: from.slice(0, 19), endDate: to.slice(0, 19) };
    const records = objectsIn(objectIn(await source.ask(api, { url: EGVS, query }))['records']);
    for (const unit of UNITS) {
      const ofUnit = records.filter((record) => record['unit'] === unit);
      yield* samplesOf('glucose', SOURCE, ofUnit.flatMap(toMeasured), unit);
    }
    if (records.some(({ unit, value }) => numberOr(value) !== null && !UNITS.includes(String(unit)))) {
      throw new PullError('non_retriable_error');
    }
  },
};

/**
 * Returns the value of a record. If the glucose is below or above the range of the sensor, Dexcom returns 39 or 401
 * mg/dL, and says so in `status`.
 */
function toMeasured(record: ProviderObject): Measured[] {
  const at = momentIn(record['systemTime']);
  if (at === null) return [];
  const measured: Measured = { at, value: numberOr(record['value']), timezone_offset: offsetOf(record, at) };
  return [measured];
}

const QUARTER_SECONDS = 900;
const FURTHEST_SECONDS = 14 * 3_600;

/**
 * Returns the offset from UTC: the clock of the device (`displayTime`) minus UTC. Returns null if no time zone has this
 * offset, for example because nobody has set the clock.
 */
function offsetOf({ displayTime }: ProviderObject, at: string): number | null {
  const shown = textOr(displayTime);
  if (shown === null) return null;
  const stated = offsetWithin(shown);
  if (stated !== null) return stated;
  const local = Date.parse(`${shown.slice(0, 19)}Z`);
  const offset = Math.round((local - Date.parse(at)) / 1_000 / QUARTER_SECONDS) * QUARTER_SECONDS;
  return Math.abs(offset) <= FURTHEST_SECONDS ? offset : null;
}
