import { Type } from 'typebox';
import { Provider } from '../../users/schemas.ts';
import { nullable, oneOf, Timestamp, Uuid, WordFilter } from '../../wire/schema.ts';
import { aYearAtMost, rangeOfDays } from '../range-of-days.ts';
import { DataSource } from '../source.ts';
import { Sport } from './summary-streams/schemas.ts';
import { shape } from '../../wire/shape.ts';

export const UserParams = Type.Object({ user_id: Uuid });
export const DeviceParams = Type.Object({
  user_id: Uuid,
  device_id: Type.String({ format: 'uuid', description: 'Id of the device, as the list has it.' }),
});

const provider = Type.Optional(
  WordFilter({ description: 'Slug of a provider: only its data is listed. An unknown one gives no data.' }),
);

/** A range of calendar dates. If a parameter is a time, only the date in its text counts. */
export const RangeQuery = Type.Object({ ...rangeOfDays('calendar date'), provider }, { fulfils: aYearAtMost });

export const SourceQuery = Type.Object({ provider });

const counted = (description: string) => Type.Integer({ description });

/** The data of an event about a deleted summary. */
export const SummaryDeleted = shape('SummaryDeleted', {
  id: Type.String({ format: 'uuid', description: 'Id of the deleted summary. It is not used again.' }),
  user_id: Uuid,
  provider_id: Type.String({ description: 'Id of the summary at its provider, or our id where it has none there.' }),
  calendar_date: nullable(
    Type.String({ format: 'date', description: 'The day that it belonged to; null for what belongs to no day.' }),
  ),
  source: DataSource,
  deleted_at: Type.Unsafe<string>({
    ...Timestamp,
    description: 'Later than `updated_at` in all events about the summary.',
  }),
});

export const DeletedSummaries = shape('DeletedSummaries', {
  deleted: counted('The number of summaries that existed and are deleted.'),
  ids: Type.Array(Uuid, { description: 'The ids of those.' }),
});

/** The outcomes of a batch of summaries. */
export const PushAnswer = shape('PushAnswer', {
  created: counted('The number of new summaries.'),
  updated: counted('The number of summaries that replaced a different version.'),
  unchanged: counted('The number of summaries that were equal to the stored ones.'),
  superseded: counted('The number that were left out because a newer version is stored or came later in the batch.'),
  outside_ingestion_bounds: counted(
    "The number that were left out because their calendar date is not within the user's " +
      'ingestion_start and ingestion_end.',
  ),
  items: Type.Array(
    Type.Object({
      id: nullable(Type.String({ format: 'uuid', description: 'Id of the summary; null where it was not stored.' })),
      outcome: oneOf(['created', 'updated', 'unchanged', 'superseded', 'outside_ingestion_bounds'], {
        description: 'The outcome.',
      }),
    }),
    { description: 'One entry for each summary in the request, in the same order.' },
  ),
});

const data = Type.Unsafe<Record<string, unknown>>({
  type: 'object',
  additionalProperties: {},
  description: 'The payload as the provider sent it; for a push, the pushed object.',
});
const deprecatedNumber = (description: string) => Type.Integer({ deprecated: true, description });
const ofNoUse = {
  provider_id: Type.String({
    deprecated: true,
    description: 'Id at the provider; our id where the provider gave none.',
  }),
  source_id: deprecatedNumber('Always 0: the provider identifies a source.'),
};
const priority_id = deprecatedNumber('Always 0: the choice among several sources is made when data is read.');
const times = { created_at: Timestamp, updated_at: Timestamp };
const source = { ...Provider, deprecated: true, description: 'The provider.' } as typeof Provider;

const rawSummary = {
  timestamp: Type.String({ format: 'date-time', description: 'When it began, UTC.' }),
  data,
  user_id: Uuid,
  ...ofNoUse,
  priority_id,
  id: Uuid,
  source_device_id: nullable(Type.String({ format: 'uuid', description: 'Id of the device that measured.' })),
  ...times,
  source,
};

export const RawSummary = shape('RawSummary', {
  ...rawSummary,
  priority: nullable(deprecatedNumber('Always null.')),
});

export const RawWorkout = shape('RawWorkout', {
  ...rawSummary,
  sport_id: deprecatedNumber('Always 0: the slug identifies a sport.'),
  sport: Sport,
});

export const RawProfile = shape('RawProfile', {
  profile: Type.Object(
    { id: Uuid, data, user_id: Uuid, source_id: ofNoUse.source_id, priority_id, source, ...times },
    { description: 'The profile.' },
  ),
});

export const RawDevice = shape('RawDevice', { data, ...ofNoUse, user_id: Uuid, id: Uuid, source });
