import { Type } from 'typebox';
import { EventFilters } from '../../events/filter.ts';
import { LowerBound, nullable, oneOf, optional, Timestamp, UpperBound, Uuid } from '../../wire/schema.ts';

/** What one process begins of all replays. */
const MOST_PER_SECOND = 400;
export const DEFAULT_PER_SECOND = 100;

const PerSecond = Type.Integer({
  minimum: 1,
  maximum: MOST_PER_SECOND,
  default: DEFAULT_PER_SECOND,
  description:
    'Most deliveries of the replay per second. Of the `rate_limit` of the endpoint, half is left to everything else.',
});

/** A caller's clock may be ahead of ours. */
const CLOCKS_DIFFER_MS = 60_000;

/** Both moments belong to the window. Of what is ahead nothing has happened: whoever asks for it has mistaken a time zone. */
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

export const RecoverInput = Type.Object(window, { fulfils });

export const ReplayInput = Type.Object(
  {
    ...window,
    event_types: optional(
      EventFilters('Of what the endpoint takes, only these types, by name or by a beginning that ends in `.*`.'),
    ),
  },
  { fulfils },
);

const Count = (description: string) => Type.Integer({ description });

export const Replay = Type.Object({
  id: Uuid,
  kind: oneOf(['recover', 'replay'], { description: 'recover: what failed; replay: whatever became of it before.' }),
  status: oneOf(['queued', 'running', 'succeeded', 'cancelled', 'failed'], {
    description:
      'succeeded: every event of the window is done with, whatever became of it; failed: what was left of the window outlived ' +
      'the time that events are kept for, while the endpoint was disabled or failed.',
  }),
  held_up_by: nullable(
    oneOf(['endpoint_disabled', 'endpoint_failing'], {
      description:
        'Why it does not go on, or only tries from time to time: the endpoint is disabled, or has only failed since it last succeeded.',
    }),
  ),
  since: Timestamp,
  until: Type.String({ format: 'date-time', description: 'End of the window, which it belongs to.' }),
  event_types: nullable(
    Type.Array(Type.String(), { description: 'Only these types; null: all that the endpoint takes.' }),
  ),
  per_second: Type.Integer(),
  done_until: nullable(Type.String({ format: 'date-time', description: 'Every event until then is done with.' })),
  events_found: Count('Events of the window that are done with; the four counts grow by the second while it runs.'),
  events_delivered: Count('Of these, those that the endpoint has taken since the replay was asked for.'),
  events_failed: Count('Of these, those that failed; what retries are left for each go on by themselves.'),
  events_skipped: Count(
    'Of these, those that were not sent: a delivery of it waits or is under way anyway, it was tried 1,000 times, the event is ' +
      'gone, or it tells of a user who is scheduled for deletion (it is sent if that is undone).',
  ),
  created_at: Timestamp,
  updated_at: Timestamp,
  ended_at: nullable(Timestamp),
});

export const ReplayPage = Type.Object({ data: Type.Array(Replay), next_cursor: nullable(Type.String()) });
