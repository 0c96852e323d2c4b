// A request to delete a user's summaries: by our id, by the provider's id, or by days of a source.
import { Type, type Static } from 'typebox';
import type { Breach } from '../../../wire/rule.ts';
import { oneOf, optional, Text, Uuid } from '../../../wire/schema.ts';
import { PROVIDER_SLUGS } from '../../providers/provider-catalogue.ts';
import { SOURCE_TYPES } from '../../source.ts';
import { shape } from '../../../wire/shape.ts';

export const SummaryDeletion = shape(
  'SummaryDeletion',
  {
    id: optional(Uuid),
    provider: optional(
      oneOf(PROVIDER_SLUGS, {
        description: 'Slug of the provider that the summaries come from; not needed with `id`.',
      }),
    ),
    source_type: optional(oneOf(SOURCE_TYPES, { description: 'Kind of device; left out, every kind.' })),
    provider_id: optional(Text(200, { description: 'Id of the summary at its provider, with which it was pushed.' })),
    start_date: optional(Type.String({ format: 'date', description: 'The first calendar date.' })),
    end_date: optional(Type.String({ format: 'date', description: 'The last calendar date, included.' })),
  },
  {
    fulfils: {
      check: (value: Record<string, unknown>) => breaches(value),
      words:
        'One of `id`, `provider_id`, and `start_date` with `end_date`: calendar dates, both included. ' +
        'All except `id` need `provider`.',
    },
  },
);

export type SummaryDeletionValue = Static<typeof SummaryDeletion>;

/** The number of values in a deletion that has every key. */
export const DELETION_VALUES = Object.keys(SummaryDeletion.properties).length;

const missing = (name: string, msg = 'Field required'): Breach => ({ at: [name], type: 'missing', msg });
const wrong = (name: string, msg: string): Breach => ({ at: [name], type: 'value_error', msg });
const isThere = (value: unknown): boolean => value !== undefined && value !== null;

function breaches(value: Record<string, unknown>): Breach[] {
  const { id, provider_id, start_date, end_date } = value;
  const ways = [id, provider_id, isThere(start_date) ? start_date : end_date].filter(isThere).length;
  if (ways === 0) return [missing('id', 'Field required, or provider_id, or start_date and end_date')];
  if (ways > 1) return [wrong('id', 'Only one of id, provider_id, and start_date with end_date')];
  const needed = isThere(id) ? [] : ['provider', ...(isThere(provider_id) ? [] : ['start_date', 'end_date'])];
  const isBackwards = typeof start_date === 'string' && typeof end_date === 'string' && end_date < start_date;
  return [
    ...needed.filter((name) => !isThere(value[name])).map((name) => missing(name)),
    ...(isBackwards ? [wrong('end_date', 'Value should not be before start_date')] : []),
  ];
}
