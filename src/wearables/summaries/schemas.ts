import { Type } from 'typebox';
import { Provider } from '../../users/schemas.ts';
import { nullable, oneOf, Timestamp, Uuid, WordFilter } from '../../wire/schema.ts';
import { aYearAtMost, rangeOfDays } from '../range.ts';
import { DataSource } from '../source.ts';
import { Sport } from './summary-streams/schemas.ts';

export const UserParams = Type.Object({ user_id: Uuid });
export const DeviceParams = Type.Object({
  user_id: Uuid,
  device_id: Type.String({ format: 'uuid', description: 'Id of the device, as the list has it.' }),
});

const provider = Type.Optional(
  WordFilter({ description: 'Slug of a provider: only what is from it. One that is unknown has nothing.' }),
);

/** Which days, by the calendar date; of a time the day as it is written counts. */
export const RangeQuery = Type.Object({ ...rangeOfDays('calendar date'), provider }, { fulfils: aYearAtMost });

export const SourceQuery = Type.Object({ provider });

const counted = (description: string) => Type.Integer({ description });

/** A summary that is gone. */
export const SummaryDeleted = Type.Object({
  id: Type.String({ format: 'uuid', description: 'Id of the summary that is gone. It does not come again.' }),
  user_id: Uuid,
  provider_id: Type.String({ description: 'Id of the summary at its provider, or ours where it has none there.' }),
  calendar_date: nullable(
    Type.String({ format: 'date', description: 'The day that it belonged to; null of what belongs to no day.' }),
  ),
  source: DataSource,
  deleted_at: Type.Unsafe<string>({ ...Timestamp, description: 'Later than `updated_at` of all that was told of it.' }),
});

export const DeletedSummaries = Type.Object({
  deleted: counted('How many were there, and are gone.'),
  ids: Type.Array(Uuid, { description: 'Ids of those.' }),
});

/** What became of a batch of summaries. */
export const PushAnswer = Type.Object({
  created: counted('How many are new.'),
  updated: counted('How many replaced a version that differed.'),
  unchanged: counted('How many were known as they are.'),
  superseded: counted('How many were left out because a newer version is known or came later in the batch.'),
  outside_ingestion_bounds: counted(
    "How many were left out because their calendar date is not within the user's ingestion_start and ingestion_end.",
  ),
  items: Type.Array(
    Type.Object({
      id: nullable(Type.String({ format: 'uuid', description: 'Id of the summary; null where it was not stored.' })),
      outcome: oneOf(['created', 'updated', 'unchanged', 'superseded', 'outside_ingestion_bounds'], {
        description: 'What became of it.',
      }),
    }),
    { description: 'One for each that was sent, in the same order.' },
  ),
});

const data = Type.Unsafe<Record<string, unknown>>({
  type: 'object',
  additionalProperties: {},
  description: 'The payload as the provider gave it; of what was pushed, as it was pushed.',
});
const deprecatedNumber = (description: string) => Type.Integer({ deprecated: true, description });
const ofNoUse = {
  provider_id: Type.String({ deprecated: true, description: 'Id at the provider; where it told none, ours.' }),
  source_id: deprecatedNumber('Always 0: a source is told by its provider.'),
};
const priority_id = deprecatedNumber('Always 0: what of several sources counts is chosen when they are read.');
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

export const RawSummary = Type.Object({
  ...rawSummary,
  priority: nullable(deprecatedNumber('Always null.')),
});

export const RawWorkout = Type.Object({
  ...rawSummary,
  sport_id: deprecatedNumber('Always 0: a sport is known by its slug.'),
  sport: Sport,
});

export const RawProfile = Type.Object({
  profile: Type.Object(
    { id: Uuid, data, user_id: Uuid, source_id: ofNoUse.source_id, priority_id, source, ...times },
    { description: 'The profile.' },
  ),
});

export const RawDevice = Type.Object({ data, ...ofNoUse, user_id: Uuid, id: Uuid, source });
