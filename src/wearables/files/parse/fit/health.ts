// Reads the single measurements of FIT files. Scales, blood-pressure cuffs and watches make them.
import type { ParsedSample, Sink } from '../parsed-line.ts';
import { at, number, type Message, type Messages } from './fit-messages.ts';

type Source = Pick<ParsedSample, 'provider' | 'source_type' | 'timezone_offset'>;

/** The series, by message and field. In these fields a negative number stands for a missing value. */
const SERIES: { message: string; field: string; time?: string; series: string; unit: string }[] = [
  {
    message: 'stress_level',
    field: 'stress_level_value',
    time: 'stress_level_time',
    series: 'stress_level',
    unit: '%',
  },
  { message: 'respiration_rate', field: 'respiration_rate', series: 'respiratory_rate', unit: 'bpm' },
  { message: 'spo2_data', field: 'reading_spo2', series: 'blood_oxygen', unit: '%' },
  { message: 'hrv_value', field: 'value', series: 'hrv', unit: 'rmssd' },
];
/** A scale writes a larger value while it is still weighing. */
const MAX_KILOGRAMS = 600;

export function putHealth(messages: Messages, source: Source, sink: Sink): void {
  for (const { message, field, time = 'timestamp', series, unit } of SERIES) {
    for (const each of messages[message] ?? []) {
      const [moment, value] = [at(each[time]), number(each[field])];
      if (moment === undefined || value === undefined || value < 0) sink.skip(message, 'empty');
      else sink.sample({ ...source, resource: series, timestamp: iso(moment), unit, value });
    }
  }
  for (const each of messages['weight_scale'] ?? []) putWeight(each, { ...source, source_type: 'scale' }, sink);
  for (const each of messages['blood_pressure'] ?? []) putPressure(each, { ...source, source_type: 'cuff' }, sink);
}

function putWeight(message: Message, source: Source, sink: Sink): void {
  const moment = at(message['timestamp']);
  const said = number(message['weight']);
  const weight = said !== undefined && said < MAX_KILOGRAMS ? said : undefined;
  const fat = number(message['percent_fat']);
  if (moment === undefined || (weight === undefined && fat === undefined))
    return sink.skip('weight_scale', 'unreadable');
  const partOfWeight = (kilograms: number | undefined): number | undefined =>
    kilograms === undefined || !weight ? undefined : Number(((100 * kilograms) / weight).toPrecision(4));
  sink.summary({
    resource: 'body',
    item: {
      ...source,
      timestamp: iso(moment),
      weight,
      fat,
      water_percentage: number(message['percent_hydration']),
      muscle_mass_percentage: partOfWeight(number(message['muscle_mass'])),
      bone_mass_percentage: partOfWeight(number(message['bone_mass'])),
      visceral_fat_index: number(message['visceral_fat_rating']),
      body_mass_index: number(message['bmi']),
    },
  });
  const timestamp = iso(moment);
  if (weight !== undefined) sink.sample({ ...source, resource: 'body_weight', timestamp, unit: 'kg', value: weight });
  if (fat !== undefined) sink.sample({ ...source, resource: 'body_fat', timestamp, unit: '%', value: fat });
  return undefined;
}

function putPressure(message: Message, source: Source, sink: Sink): void {
  const moment = at(message['timestamp']);
  const [systolic, diastolic] = [number(message['systolic_pressure']), number(message['diastolic_pressure'])];
  if (moment === undefined || systolic === undefined || diastolic === undefined)
    return sink.skip('blood_pressure', 'unreadable');
  const timestamp = iso(moment);
  sink.sample({ ...source, resource: 'blood_pressure', timestamp, unit: 'mmHg', systolic, diastolic });
  const value = number(message['heart_rate']);
  if (value !== undefined) sink.sample({ ...source, resource: 'heartrate', timestamp, unit: 'bpm', value });
  return undefined;
}

const iso = (moment: number): string => new Date(moment).toISOString();
