// A request to delete samples of a user. It names them by their record (for example a record of HealthKit), by a time,
// or by an interval.
import { Type, type Static } from 'typebox';
import { millisecondsOf } from '../../../wire/moment.ts';
import type { Breach } from '../../../wire/rule.ts';
import { nullable, oneOf, Text } from '../../../wire/schema.ts';
import { PROVIDER_SLUGS } from '../../providers/provider-catalogue.ts';
import { SERIES } from '../../series.ts';
import { SOURCE_TYPES } from '../../source.ts';
import { FIRST_DAY, RecordId } from '../sample-input.ts';
import { shape } from '../../../wire/shape.ts';

const maybe = <T extends Parameters<typeof nullable>[0]>(schema: T) => Type.Optional(nullable(schema));

const Moment = (description: string) => Type.String({ format: 'date-time', description });

export const SampleDeletion = shape(
  'SampleDeletion',
  {
    provider: oneOf(PROVIDER_SLUGS, { description: 'Slug of the provider that the samples come from.' }),
    record_id: maybe(RecordId),
    resource: maybe(
      oneOf(
        SERIES.map(({ name }) => name),
        { description: 'The series, under the name that it has in the paths. Not needed with `record_id`.' },
      ),
    ),
    source_type: maybe(oneOf(SOURCE_TYPES, { description: 'Kind of device. If left out, every kind.' })),
    app_id: maybe(Text(200, { description: 'Id of the app that recorded them. If left out, every app.' })),
    device_id: maybe(
      Type.String({
        format: 'uuid',
        description: 'Id of the device, as in the list of devices. If left out, every device.',
      }),
    ),
    type: maybe(
      Text(100, { description: 'The type of the samples, if their series is keyed by type. If left out, every type.' }),
    ),
    timestamp: maybe(Moment('Moment of one sample, or the start of a sample that is an interval.')),
    start: maybe(Moment('Samples that begin at this time or later.')),
    end: maybe(Moment('Samples that begin before this time.')),
  },
  {
    fulfils: {
      check: (value: Record<string, unknown>) => breaches(value),
      words:
        'Exactly one of `record_id`, `timestamp`, and `start` with `end`. `timestamp` is also the start of a sample ' +
        'that is an interval. `start` with `end` names samples that begin in between, `end` excluded. `timestamp`, ' +
        'and `start` with `end`, need `resource`.',
    },
  },
);

export type SampleDeletionValue = Static<typeof SampleDeletion>;

/** The number of values in a deletion that has every key. */
export const DELETION_VALUES = Object.keys(SampleDeletion.properties).length;

const missing = (name: string, msg = 'Field required'): Breach => ({ at: [name], type: 'missing', msg });
const wrong = (name: string, msg: string): Breach => ({ at: [name], type: 'value_error', msg });
const isThere = (value: unknown): boolean => value !== undefined && value !== null;

function breaches(value: Record<string, unknown>): Breach[] {
  const { record_id, timestamp, start, end } = value;
  const ways = [record_id, timestamp, isThere(start) ? start : end].filter(isThere).length;
  if (ways === 0) return [missing('record_id', 'Field required, or timestamp, or start and end')];
  if (ways > 1) return [wrong('record_id', 'Only one of record_id, timestamp, and start with end')];
  const needed = isThere(record_id) ? [] : ['resource', ...(isThere(timestamp) ? [] : ['start', 'end'])];
  const lacking = needed.filter((name) => !isThere(value[name])).map((name) => missing(name));
  const isBackwards =
    typeof start === 'string' && typeof end === 'string' && !(millisecondsOf(end) > millisecondsOf(start));
  const early = ['timestamp', 'start'].filter(
    (name) => typeof value[name] === 'string' && (value[name] as string) < FIRST_DAY,
  );
  return [
    ...lacking,
    ...early.map((name) => wrong(name, `Value should not be before ${FIRST_DAY}`)),
    ...(isBackwards ? [wrong('end', 'Value should be after start')] : []),
  ];
}
