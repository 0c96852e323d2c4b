// The columns of summaries in queries. Each key is a column's name in the query language. Its value is the path of a
// field of the summary (summaries/resources), or `neverFilled`. Every number of a summary is also a column under its
// own path, for example `heart_rate.avg_bpm` (query-tables.ts).
import { sql } from 'kysely';
import { GENDERS } from '../../../wire/person.ts';
import { SEXES } from '../../summaries/resources/profile.ts';
import { SLEEP_STATES, SLEEP_TYPES } from '../../summaries/resources/sleep.ts';
import {
  flag,
  neverFilled,
  number,
  offsetText,
  ofRow,
  sealed,
  SOURCE_COLUMNS,
  uuid,
  word,
  type Column,
  type Columns,
  type Expression,
} from './column.ts';

const SECONDS_A_MINUTE = 60;
const MICROGRAMS_A_MILLIGRAM = 1_000;

const id = uuid(sql`id`);
const begin = ofRow('moment', sql`start_at`);
const end = ofRow('moment', sql`end_at`);
const day = ofRow('date', sql`calendar_date`);
/** Returns a column for the time at which Phial stored something. It has milliseconds, as all times in responses. */
const stored = (moment: Expression): Column => ofRow('moment', sql`date_trunc('milliseconds', ${moment})`);

/** The time zone that the source reported. If the source reported none, its offset from UTC, as `+01:00`. */
const timeZone: Column = ofRow(
  'text',
  sql`coalesce("values" ->> 'time_zone', ${offsetText(sql`("values" ->> 'timezone_offset')::float8`)})`,
);

/** The time of low, medium and high intensity together, in seconds. Unknown times are left out of the sum. */
const activeSeconds: Column = ofRow(
  'number',
  sql`
    (case when "values" ?| array ['low', 'medium', 'high']
     then coalesce(("values" ->> 'low')::float8, 0) + coalesce(("values" ->> 'medium')::float8, 0)
          + coalesce(("values" ->> 'high')::float8, 0) end * 60)`,
);

/** The name of a sport as the summary shows it. For example, `trail_running` becomes `Trail running`. */
const sportName: Column = ofRow(
  'text',
  sql`upper(left("values" ->> 'sport', 1)) || replace(substr("values" ->> 'sport', 2), '_', ' ')`,
);

const zone = (ordinal: number): Column => number(`hr_zones.${ordinal - 1}`);

const milligrams = (group: string, names: string): Columns =>
  Object.fromEntries(names.split(' ').map((name) => [`${name}_milligram`, number(`micros.${group}.${name}`)]));
const micrograms = (group: string, names: string): Columns =>
  Object.fromEntries(
    names.split(' ').map((name) => [`${name}_microgram`, number(`micros.${group}.${name}`, MICROGRAMS_A_MILLIGRAM)]),
  );

/**
 * The columns by the name of the table in queries. The table `workout` has the summaries `workouts`. Every other table
 * has the name of its summaries.
 */
export const SUMMARY_COLUMNS: Readonly<Record<string, Columns>> = {
  sleep: {
    id,
    session_start: begin,
    session_end: end,
    state: word('state', SLEEP_STATES),
    type: word('type', SLEEP_TYPES),
    duration_second: number('duration'),
    stage_asleep_second: number('total'),
    stage_awake_second: number('awake'),
    stage_light_second: number('light'),
    stage_rem_second: number('rem'),
    stage_deep_second: number('deep'),
    stage_unknown_second: neverFilled('number'),
    latency_second: number('latency'),
    heart_rate_minimum: number('hr_lowest'),
    heart_rate_mean: number('hr_average'),
    heart_rate_maximum: neverFilled('number'),
    heart_rate_dip: number('hr_dip'),
    heart_rate_resting: number('hr_resting'),
    efficiency: number('efficiency'),
    hrv_mean_rmssd: number('average_hrv'),
    hrv_mean_sdnn: neverFilled('number'),
    skin_temperature: number('skin_temperature'),
    skin_temperature_delta: number('temperature_delta'),
    respiratory_rate: number('respiratory_rate'),
    score: number('score'),
    ...SOURCE_COLUMNS,
    time_zone: timeZone,
  },
  activity: {
    date: day,
    calories_total: number('calories_total'),
    calories_active: number('calories_active'),
    steps: number('steps'),
    distance_meter: number('distance'),
    floors_climbed: number('floors_climbed'),
    duration_active_second: activeSeconds,
    intensity_sedentary_second: neverFilled('number'),
    intensity_low_second: number('low', SECONDS_A_MINUTE),
    intensity_medium_second: number('medium', SECONDS_A_MINUTE),
    intensity_high_second: number('high', SECONDS_A_MINUTE),
    heart_rate_mean: number('heart_rate.avg_bpm'),
    heart_rate_minimum: number('heart_rate.min_bpm'),
    heart_rate_maximum: number('heart_rate.max_bpm'),
    heart_rate_resting: number('heart_rate.resting_bpm'),
    heart_rate_mean_walking: number('heart_rate.avg_walking_bpm'),
    wheelchair_use: flag('wheelchair_use'),
    wheelchair_push: number('wheelchair_push'),
    ...SOURCE_COLUMNS,
    time_zone: timeZone,
    time_zone_offset: number('timezone_offset'),
  },
  workout: {
    session_start: begin,
    session_end: end,
    title: sealed('title'),
    sport_name: sportName,
    sport_slug: word('sport'),
    duration_active_second: number('moving_time'),
    heart_rate_mean: number('average_hr'),
    heart_rate_minimum: neverFilled('number'),
    heart_rate_maximum: number('max_hr'),
    heart_rate_zone_1: zone(1),
    heart_rate_zone_2: zone(2),
    heart_rate_zone_3: zone(3),
    heart_rate_zone_4: zone(4),
    heart_rate_zone_5: zone(5),
    heart_rate_zone_6: zone(6),
    distance_meter: number('distance'),
    calories: number('calories'),
    elevation_gain_meter: number('total_elevation_gain'),
    elevation_maximum_meter: number('elev_high'),
    elevation_minimum_meter: number('elev_low'),
    speed_mean: number('average_speed'),
    speed_maximum: number('max_speed'),
    power_source: neverFilled('text'),
    power_mean: number('average_watts'),
    power_maximum: number('max_watts'),
    power_weighted_mean: number('weighted_average_watts'),
    steps: number('steps'),
    map_polyline: sealed('map.polyline'),
    map_summary_polyline: sealed('map.summary_polyline'),
    ...SOURCE_COLUMNS,
    external_id: ofRow('text', sql`coalesce(provider_id, id::text)`),
    time_zone: timeZone,
  },
  body: {
    measured_at: begin,
    weight_kilogram: number('weight'),
    fat_mass_percentage: number('fat'),
    water_percentage: number('water_percentage'),
    muscle_mass_percentage: number('muscle_mass_percentage'),
    visceral_fat_index: number('visceral_fat_index'),
    bone_mass_percentage: number('bone_mass_percentage'),
    body_mass_index: number('body_mass_index'),
    lean_body_mass_kilogram: number('lean_body_mass_kilogram'),
    waist_circumference_centimeter: number('waist_circumference_centimeter'),
    ...SOURCE_COLUMNS,
    time_zone: timeZone,
  },
  meal: {
    calories: number('energy.value'),
    carbohydrate_gram: number('macros.carbs'),
    protein_gram: number('macros.protein'),
    alcohol_gram: number('macros.alcohol'),
    water_gram: number('macros.water'),
    fibre_gram: number('macros.fibre'),
    sugar_gram: number('macros.sugar'),
    cholesterol_gram: number('macros.cholesterol'),
    saturated_fat_gram: number('macros.fats.saturated'),
    monounsaturated_fat_gram: number('macros.fats.monounsaturated'),
    polyunsaturated_fat_gram: number('macros.fats.polyunsaturated'),
    omega3_fat_gram: number('macros.fats.omega3'),
    omega6_fat_gram: number('macros.fats.omega6'),
    total_fat_gram: number('macros.fats.total'),
    ...milligrams('minerals', 'sodium potassium calcium phosphorus magnesium iron zinc fluoride chloride'),
    ...milligrams('vitamins', 'vitamin_a vitamin_b1 riboflavin niacin pantothenic_acid vitamin_b6 vitamin_c vitamin_e'),
    // Some clients ask for copper in milligrams, others in micrograms. So copper is in both lists.
    ...milligrams('trace_elements', 'manganese copper'),
    ...micrograms('vitamins', 'biotin vitamin_b12 vitamin_d vitamin_k folic_acid'),
    ...micrograms('trace_elements', 'chromium copper iodine molybdenum selenium'),
    date: day,
    name: sealed('name'),
    ...SOURCE_COLUMNS,
  },
  profile: {
    height_centimeter: number('height'),
    birth_date: sealed('birth_date', 'date'),
    wheelchair_use: flag('wheelchair_use'),
    gender: word('gender', GENDERS),
    sex: word('sex', SEXES),
    ...SOURCE_COLUMNS,
    created_at: stored(sql`created_at`),
    updated_at: stored(sql`updated_at`),
  },
};
