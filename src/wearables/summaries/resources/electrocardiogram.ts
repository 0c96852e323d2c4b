import { Type } from 'typebox';
import { optional, Text } from '../../../wire/schema.ts';
import { HEART_RATE } from '../../series.ts';
import { moment, number, whole, word } from '../fields.ts';
import { measurable, origin, ownDay, timeZone, timezoneOffset } from '../item.ts';
import { PLAIN_BATCH, keyAndTimesFrom, type SummaryResource } from '../resource.ts';
import { flatSource, shapeOf } from '../shape.ts';

const LONGEST_HOURS = 336;

const fields = {
  session_start: moment('When the recording began.'),
  session_end: moment('When the recording ended.'),
  voltage_sample_count: Type.Integer({
    minimum: 0,
    maximum: 1_000_000_000,
    description: 'Number of recorded voltages; the time series electrocardiogram_voltage has them.',
  }),
  heart_rate_mean: whole('Mean heart rate, in beats per minute.', HEART_RATE[1]),
  sampling_frequency_hz: number('Voltages per second.', 100_000),
  classification: word('The classification by the device. It is no diagnosis.', [
    'sinus_rhythm',
    'atrial_fibrillation',
    'inconclusive',
  ]),
  inconclusive_cause: word('Why it is inconclusive.', ['high_heart_rate', 'low_heart_rate', 'poor_reading']),
  algorithm_version: optional(Text(100, { description: 'Version of the algorithm that classified it.' })),
  time_zone: timeZone,
  source_device_model: optional(Text(200, { description: 'Model of the device that measured.' })),
};

const input = Type.Object(
  { ...origin, calendar_date: ownDay, timezone_offset: timezoneOffset, ...fields },
  { fulfils: measurable({ from: 'session_start', to: 'session_end', maxHours: LONGEST_HOURS }) },
);

export const electrocardiogram: SummaryResource = {
  name: 'electrocardiogram',
  title: 'Electrocardiogram',
  path: 'electrocardiogram',
  one: 'electrocardiogram',
  many: 'electrocardiograms',
  list: 'electrocardiogram',
  input,
  most: PLAIN_BATCH,
  shape: shapeOf(fields, flatSource),
  sealed: [],
  clockFrom: 'session_start',
  keyAndTimesOf: (item, clock) => keyAndTimesFrom(item, clock, { from: 'session_start', to: 'session_end' }),
};
