import { Type } from 'typebox';
import { moment, number } from '../fields.ts';
import { measurable, origin, ownDay, timeZone, timezoneOffset } from '../item.ts';
import { PLAIN_BATCH, keyAndTimesFrom, type SummaryResource } from '../resource.ts';
import { RawSummary } from '../schemas.ts';
import { dailyShape, dated } from '../shape.ts';

/**
 * Returns the field for a percentage of the body. No body has less than 1 % of fat, water or the like. So a smaller
 * value is a fraction that somebody has not converted: 0.22 for 22.
 */
const percent = (which: string) => number(`${which}, in percent of the weight: 22 for a fraction of 0.22.`, 100, 1);

const fields = {
  weight: number('Weight, in kilograms.', 1_000),
  fat: percent('Body fat'),
  water_percentage: percent('Water'),
  muscle_mass_percentage: percent('Muscle'),
  visceral_fat_index: number('Visceral fat, as an index of the scale.', 100),
  bone_mass_percentage: percent('Bone'),
  body_mass_index: number('Body mass index, in kilograms per square metre.', 500),
  lean_body_mass_kilogram: number('Lean body mass, in kilograms.', 1_000),
  waist_circumference_centimeter: number('Waist circumference, in centimetres.', 500),
};

const input = Type.Object(
  {
    ...origin,
    calendar_date: ownDay,
    timestamp: moment('When it was measured.'),
    time_zone: timeZone,
    timezone_offset: timezoneOffset,
    ...fields,
  },
  { fulfils: measurable({ times: ['timestamp'] }) },
);

/** One summary for each measurement of a scale. */
export const body: SummaryResource = {
  name: 'body',
  title: 'Body',
  path: 'body',
  one: 'body measurement',
  many: 'body measurements',
  list: 'body',
  input,
  most: PLAIN_BATCH,
  shape: dailyShape(fields, dated),
  rawShape: RawSummary,
  sealed: [],
  clockFrom: 'timestamp',
  keyAndTimesOf: (item, clock) => keyAndTimesFrom(item, clock, { from: 'timestamp' }),
};
