import { Type } from 'typebox';
import { EventFilters } from '../../events/filter.ts';
import { LowerBound, nullable, oneOf, optional, Timestamp, UpperBound, Uuid } from '../../wire/schema.ts';
import { shape } from '../../wire/shape.ts';

/** The most deliveries a second that one process starts for all replays together. */
const MAX_PER_SECOND = 400;
export const DEFAULT_PER_SECOND = 100;

const PerSecond = Type.Integer({
  minimum: 1,
  maximum: MAX_PER_SECOND,
  default: DEFAULT_PER_SECOND,
  description:
    'The most deliveries of the replay per second. Half of the `rate_limit` of the endpoint is left for other ' +
    'deliveries.',
});

/** How many milliseconds `since` may be in the future, because the clock of the caller may be ahead of ours. */
const CLOCKS_DIFFER_MS = 60_000;

/**
 * Checks the window. Events at `since` and at `until` belong to it. We refuse a `since` in the future, because it is
 * probably a time of another zone.
 */
function breaches({ since, until }: Record<string, unknown>): { at: string[]; type: string; msg: string }[] {
  if (typeof since === 'string' && Date.parse(since) > Date.now() + CLOCKS_DIFFER_MS)
    return [{ at: ['since'], type: 'value_error', msg: 'Value should not be ahead of now' }];
  if (typeof since !== 'string' || typeof until !== 'string' || Date.parse(until) >= Date.parse(since)) return [];
  return [{ at: ['until'], type: 'value_error', msg: 'Value should not be before since' }];
}

const fulfils = { check: breaches, words: '`until` is not before `since`, which is not ahead of now.' };
const window = {
  since: LowerBound,
  until: optional(UpperBound),
  per_second: optional(PerSecond),
};

export const RecoverInput = shape('RecoverInput', window, { fulfils });

export const ReplayInput = shape(
  'ReplayInput',
  {
    ...window,
    event_types: optional(EventFilters('Only these types of the endpoint, by name or by a prefix that ends in `.*`.')),
  },
  { fulfils },
);

const Count = (description: string) => Type.Integer({ description });

export const Replay = shape('Replay', {
  id: Uuid,
  kind: oneOf(['recover', 'replay'], { description: 'recover: failed events. replay: all events.' }),
  status: oneOf(['queued', 'running', 'succeeded', 'cancelled', 'failed'], {
    description:
      'succeeded: every event of the window is finished, whatever its result. failed: the rest of the window ' +
      'was dropped by retention while the endpoint was disabled or failed.',
  }),
  held_up_by: nullable(
    oneOf(['endpoint_disabled', 'endpoint_failing'], {
      description:
        'Why the replay does not go on, or only tries from time to time: the endpoint is disabled, or all its ' +
        'attempts failed since its last success.',
    }),
  ),
  since: Timestamp,
  until: Type.String({ format: 'date-time', description: 'The end of the window, inclusive.' }),
  event_types: nullable(
    Type.Array(Type.String(), { description: 'Only these types. Null for all types of the endpoint.' }),
  ),
  per_second: Type.Integer(),
  done_until: nullable(Type.String({ format: 'date-time', description: 'Every event until then is finished.' })),
  events_found: Count('Finished events of the window. The four counts are updated each second while the replay runs.'),
  events_delivered: Count('Of these, events that the endpoint accepted since the replay was requested.'),
  events_failed: Count('Of these, events that failed. Their remaining retries continue.'),
  events_skipped: Count(
    'Of these, events that the replay did not send: a delivery waits or is under way, it has had 1,000 ' +
      'attempts, the event is deleted, or its user is scheduled for deletion (it is sent if that is undone).',
  ),
  created_at: Timestamp,
  updated_at: Timestamp,
  ended_at: nullable(Timestamp),
});

export const ReplayPage = shape('ReplayPage', { data: Type.Array(Replay), next_cursor: nullable(Type.String()) });
