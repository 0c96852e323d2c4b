// https://developer.dexcom.com/docs/dexcomv3/endpoint-overview, "egvs". Dexcom tells of nothing by itself: it is polled.
import { offsetWithin } from '../../calendar-date.ts';
import { PullError, type Importer } from '../importer.ts';

import { samplesOf, type Measured } from '../answers/fitting.ts';
import { momentIn, numberOr, objectIn, objectsIn, textOr, type Found } from '../answers/read-answer.ts';
import { holdOfShares, numbersOf } from '../answers/shares.ts';
import type { ProviderApi } from '../provider-api.ts';

const EGVS = 'https://api.dexcom.com/v3/users/self/egvs';
const UNITS = ['mg/dL', 'mmol/L'];
const SOURCE = { provider: 'dexcom_v3', source_type: 'automatic' };

/** Where a refusal does not say for how long. */
const LIMIT_SECONDS = 300;

/** The application may ask 60,000 times an hour for everybody together, which answers do not count. */
const api: ProviderApi = {
  slug: 'dexcom_v3',
  holdOf: (status, headers) => holdOfShares(status, [], numbersOf(headers, 'retry-after')[0] ?? LIMIT_SECONDS),
};

export const importer: Importer = {
  resources: { glucose: { windowDays: 30 } },
  // Values come an hour late, in some countries three, and more where the phone was off.
  pollDays: 3,
  pollEverySeconds: 900,
  mappers: {},
  pull: async function* (source, _resource, { from, to }) {
    // Without an offset they are UTC.
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

/** What is out of the sensor's range is told as the end of it, 39 or 401 mg/dL, and its status says so. */
function toMeasured(record: Found): Measured[] {
  const at = momentIn(record['systemTime']);
  if (at === null) return [];
  const measured: Measured = { at, value: numberOr(record['value']), timezone_offset: offsetOf(record, at) };
  return [measured];
}

const QUARTER_SECONDS = 900;
const FURTHEST_SECONDS = 14 * 3_600;

/** `displayTime` is what the device's clock showed; null where that tells no place, as a receiver's that was never set. */
function offsetOf({ displayTime }: Found, at: string): number | null {
  const shown = textOr(displayTime);
  if (shown === null) return null;
  const told = offsetWithin(shown);
  if (told !== null) return told;
  const wall = Date.parse(`${shown.slice(0, 19)}Z`);
  const offset = Math.round((wall - Date.parse(at)) / 1_000 / QUARTER_SECONDS) * QUARTER_SECONDS;
  return Math.abs(offset) <= FURTHEST_SECONDS ? offset : null;
}
