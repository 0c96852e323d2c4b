import { Type } from 'typebox';
import { oneOf, optional, Text } from '../../../wire/schema.ts';
import { map, moment, number, alwaysAnswered } from '../fields.ts';
import { measurable, origin, ownDay, timeZone, timezoneOffset } from '../item.ts';
import { keyAndTimesFrom, type SummaryResource } from '../resource.ts';
import { dailyShape, flatSource } from '../shape.ts';

const MINERALS = [
  'sodium',
  'potassium',
  'calcium',
  'phosphorus',
  'magnesium',
  'iron',
  'zinc',
  'fluoride',
  'chloride',
] as const;
const TRACE_ELEMENTS = ['chromium', 'copper', 'iodine', 'manganese', 'molybdenum', 'selenium'] as const;
const VITAMINS = [
  'vitamin_a',
  'vitamin_b1',
  'riboflavin',
  'niacin',
  'pantothenic_acid',
  'vitamin_b6',
  'biotin',
  'vitamin_b12',
  'vitamin_c',
  'vitamin_d',
  'vitamin_e',
  'vitamin_k',
  'folic_acid',
] as const;

const grams = (what: string) => number(`${what}, in grams.`, 100_000);
const amounts = (what: string, names: readonly string[]) =>
  map(`${what} by name, in milligrams.`, {
    of: Type.Number({ minimum: 0, maximum: 1_000_000 }),
    names: { maxLength: 40, enum: names },
    most: names.length,
  });

const nourishment = {
  energy: optional(
    Type.Object(
      {
        unit: Type.Optional(oneOf(['kcal'], { default: 'kcal', description: 'Always kcal.' })),
        value: Type.Number({ minimum: 0, maximum: 100_000, description: 'Energy, in kilocalories.' }),
      },
      { description: 'Total energy.' },
    ),
  ),
  macros: optional(
    Type.Object(
      {
        carbs: grams('Carbohydrates'),
        protein: grams('Protein'),
        fats: alwaysAnswered(
          Type.Object(
            {
              saturated: grams('Saturated fat'),
              monounsaturated: grams('Monounsaturated fat'),
              polyunsaturated: grams('Polyunsaturated fat'),
              omega3: grams('Omega-3 fatty acids'),
              omega6: grams('Omega-6 fatty acids'),
              total: grams('Total fat'),
            },
            { description: 'Fats.' },
          ),
        ),
        alcohol: grams('Alcohol'),
        water: grams('Water'),
        fibre: grams('Fibre'),
        sugar: grams('Sugar'),
        cholesterol: grams('Cholesterol'),
      },
      { description: 'The nutrients of the food.' },
    ),
  ),
  micros: optional(
    Type.Object(
      {
        minerals: amounts('Minerals', MINERALS),
        trace_elements: amounts('Trace elements', TRACE_ELEMENTS),
        vitamins: amounts('Vitamins', VITAMINS),
      },
      { description: 'Minerals, trace elements and vitamins.' },
    ),
  ),
};

/**
 * The most foods of a meal. The event of a meal has all of them, with all fields, and must stay below the largest size
 * of an event.
 */
const MAX_FOODS = 50;

const fields = {
  timestamp: moment('When it was eaten.'),
  name: Text(200, { description: 'Name of the meal.' }),
  ...nourishment,
  data: Type.Optional(
    Type.Unsafe<Record<string, unknown>>({
      type: 'object',
      additionalProperties: Type.Object(nourishment),
      propertyNames: { maxLength: 200 },
      maxProperties: MAX_FOODS,
      default: {},
      description: 'The foods by name.',
    }),
  ),
};

const input = Type.Object(
  { ...origin, calendar_date: ownDay, time_zone: timeZone, timezone_offset: timezoneOffset, ...fields },
  { fulfils: measurable({ times: ['timestamp'] }) },
);

const deprecatedNumber = Type.Integer({ deprecated: true, description: 'Always 0.' });

const shape = dailyShape(fields, {
  priority_id: deprecatedNumber,
  source_id: deprecatedNumber,
  provider_id: Type.String({
    deprecated: true,
    description: 'Id at the provider; our id where the provider gave none.',
  }),
  source_app_id: flatSource.source_app_id,
  source_device_id: flatSource.source_device_id,
});

export const meal: SummaryResource = {
  name: 'meal',
  title: 'Meal',
  path: 'meal',
  one: 'meal',
  many: 'meals',
  list: 'meals',
  input,
  most: { items: 100, valuesEach: 400, bytes: 2 * 1024 * 1024 },
  shape,
  sealed: ['name', 'data'],
  clockFrom: 'timestamp',
  keyAndTimesOf: (item, clock) => keyAndTimesFrom(item, clock, { from: 'timestamp' }),
};
