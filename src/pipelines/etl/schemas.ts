import { Type, type Static } from 'typebox';
import { EVENT_NAMES } from '../../events/names.ts';
import { NamedTeams, NamedTeamsOrAll, ThisTeam } from '../../tenancy/places.ts';
import type { Mismatch } from '../../wire/mismatch.ts';
import { Cursor, nullable, oneOf, optional, Text, Uuid } from '../../wire/schema.ts';
import type { Requirement } from '../../wire/rules.ts';
import { MASK } from '../mask.ts';

const MOST_PREFIXES = 200;
const SINKS = ['cloud_pubsub', 'rabbitmq', 'svix', 'azure_amqp'] as const;

const Preferences = Type.Object(
  {
    preferred: oneOf(SINKS, { description: 'Where events go; it counts as enabled.' }),
    enabled: Type.Array(oneOf(SINKS), { maxItems: SINKS.length, description: 'Where events go as well.' }),
  },
  {
    description:
      'Where events go: rabbitmq streams them, svix are the webhooks of the team, which get theirs whether or not it stands here. ' +
      'cloud_pubsub and azure_amqp are not available.',
  },
);
const UNAVAILABLE = { description: 'Not available: anything but null is refused with sink_not_available.' };

const Rabbit = Type.Object(
  {
    uri: Type.String({
      minLength: 1,
      maxLength: 2048,
      description: `Address of the broker with login and virtual host: amqps, in the sandbox amqp too. Answers show the password as ${MASK}.`,
    }),
    exchange: Text(60, { description: 'Exchange that events are published to; it has to exist.' }),
  },
  { description: 'The broker that events are streamed to.' },
);
const Svix = Type.Object(
  { regional: Type.Optional(Type.Boolean({ description: 'Deprecated; always true.' })) },
  { description: 'The webhooks of the team.' },
);

const mismatch: Mismatch = {
  msg: 'String should be the beginning of types of events, as labtest. or daily.data.sleep, without *',
};

const Prefixes = Type.Array(Type.String({ pattern: '^[a-z0-9_.]{1,100}$', maxLength: 100, mismatch }), {
  maxItems: MOST_PREFIXES,
  description:
    'Beginnings of the event types that go to the broker, as labtest. or daily.data.sleep; an empty list: all but the operational ones.',
});
const Historical = Type.Boolean({
  description: 'Whether the events historical.data.*, which end a pull of the past, go to the broker too.',
});
const Raw = Type.Boolean({
  description: 'Always false: events do not tell what a provider sent raw. true is refused.',
});

/** Any of these alone is worth a request. */
const CONFIGURING = ['rabbitmq', 'svix', 'preferences', 'push_historical_data', 'event_type_prefixes'];
const REFUSED = ['cloud_pubsub', 'azure_amqp', 'provider_raw_data'];

const fulfils: Requirement = {
  check: (input) => [
    ...([...CONFIGURING, ...REFUSED].some((name) => (input[name] ?? null) !== null)
      ? []
      : [{ at: [], type: 'missing', msg: `Nothing is configured: one of ${CONFIGURING.join(', ')} is needed` }]),
    ...[input['event_type_prefixes'] ?? []].flat().flatMap((prefix, index) => {
      if (typeof prefix !== 'string' || EVENT_NAMES.some((name) => name.startsWith(prefix))) return [];
      const at = ['event_type_prefixes', String(index)];
      return [{ at, type: 'value_error', msg: 'No type of event begins so: GET /v2/event_types lists them' }];
    }),
  ],
  words: 'At least one of the keys beside `team_ids` is needed, and a type of event that begins with each prefix.',
};

export const EtlPipelineInput = Type.Object(
  {
    team_ids: NamedTeamsOrAll('Teams that get this pipeline.'),
    push_historical_data: optional(Historical),
    provider_raw_data: optional(Raw),
    preferences: optional(Preferences),
    cloud_pubsub: optional(Type.Object({}, UNAVAILABLE)),
    rabbitmq: optional(Rabbit),
    svix: optional(Svix),
    azure_amqp: optional(Type.Object({}, UNAVAILABLE)),
    event_type_prefixes: Type.Optional(Prefixes),
  },
  { fulfils },
);
export type EtlPipelineInput = Static<typeof EtlPipelineInput>;

export const EtlPipeline = Type.Object({
  team_id: Uuid,
  push_historical_data: Historical,
  provider_raw_data: Raw,
  preferences: Preferences,
  cloud_pubsub: nullable(Type.Object({}, { description: 'Always null: not available.' })),
  rabbitmq: nullable(
    Type.Object(
      {
        uri: Type.String({ description: `Address of the broker; the password is ${MASK}.` }),
        exchange: Type.String({ description: 'Exchange that events are published to.' }),
      },
      { description: 'The broker that events are streamed to; null for none.' },
    ),
  ),
  svix: nullable(
    Type.Object(
      { regional: Type.Boolean({ description: 'Deprecated; always true.' }) },
      { description: 'The webhooks of the team; null where it was not named.' },
    ),
  ),
  azure_amqp: nullable(Type.Object({}, { description: 'Always null: not available.' })),
  event_type_prefixes: nullable(
    Type.Array(Type.String(), { description: 'Beginnings of the event types that go to the broker; null: all.' }),
  ),
});
export type EtlPipeline = Static<typeof EtlPipeline>;

export const EtlPipelines = Type.Array(EtlPipeline);

export const EtlPipelinePage = Type.Object({
  pipelines: Type.Array(EtlPipeline, { description: 'A team each.' }),
  next_cursor: nullable(Type.String()),
});

export const EtlPipelineQuery = Type.Object({
  team_id: ThisTeam,
  next_cursor: Type.Optional(Cursor()),
});

export const EtlPipelineRemoval = Type.Object({
  team_id: NamedTeams('Teams that lose their pipeline.'),
});
