import { Type } from 'typebox';
import { oneOf, Uuid, WordFilter } from '../../wire/schema.ts';
import { ProviderName } from '../providers/schemas.ts';
import { PROVIDER_SLUGS } from '../providers/provider-catalogue.ts';
import { shape } from '../../wire/shape.ts';

export const PRIORITY_TYPES = ['workouts', 'activity', 'sleep', 'body', 'timeseries'] as const;
export type PriorityType = (typeof PRIORITY_TYPES)[number];

export const SourcePriority = shape('SourcePriority', {
  team_id: Uuid,
  data_type: Type.String({
    description:
      'Kind of data: workouts, activity, sleep, body, or timeseries, which meals and profiles follow as well.',
  }),
  source: ProviderName,
  priority: Type.Integer({
    description: 'Its position, from 1. Where several providers report the same, the first counts.',
  }),
});

const SourcePriorityInput = Type.Object({
  data_type: oneOf(PRIORITY_TYPES, { description: 'Kind of data. Meals and profiles follow the order of timeseries.' }),
  providers: Type.Array(oneOf(PROVIDER_SLUGS), {
    maxItems: 50,
    uniqueItems: true,
    description: 'Slugs of providers, the best one first; empty: no provider comes before another.',
  }),
});

export const SourcePriorityList = Type.Array(SourcePriorityInput, { minItems: 1, maxItems: PRIORITY_TYPES.length });

export const PriorityFilter = Type.Object({
  data_type: Type.Optional(WordFilter({ description: 'One kind of data; left out, all of them.' })),
});
