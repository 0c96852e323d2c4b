import { Type, type Static } from 'typebox';
import { EVENT_NAMES } from '../../events/names.ts';
import { NamedTeams, NamedTeamsOrAll, ThisTeam } from '../../tenancy/team-paths.ts';
import type { Mismatch } from '../../wire/mismatch.ts';
import { Cursor, nullable, oneOf, optional, Text, Uuid } from '../../wire/schema.ts';
import type { Requirement } from '../../wire/rules.ts';
import { MASK } from '../mask.ts';
import { shape } from '../../wire/shape.ts';

const MAX_PREFIXES = 200;
const SINKS = ['cloud_pubsub', 'rabbitmq', 'svix', 'azure_amqp'] as const;

const Preferences = Type.Object(
  {
    preferred: oneOf(SINKS, { description: 'The main sink of events. It counts as enabled.' }),
    enabled: Type.Array(oneOf(SINKS), { maxItems: SINKS.length, description: 'Further sinks of events.' }),
  },
  {
    description:
      'The sinks of events: rabbitmq streams them. svix stands for the webhooks of the team, which get their ' +
      'events also when it is not listed. cloud_pubsub and azure_amqp are not available.',
  },
);
const UNAVAILABLE = { description: 'Not available: anything but null is refused with sink_not_available.' };

const Rabbit = Type.Object(
  {
    uri: Type.String({
      minLength: 1,
      maxLength: 2048,
      description: `The uri with login and virtual host: amqps, or amqp in the sandbox. Responses mask the password.`,
    }),
    exchange: Text(60, { description: 'The exchange for the events. It must exist.' }),
  },
  { description: 'The broker for the events.' },
);
const Svix = Type.Object(
  { regional: Type.Optional(Type.Boolean({ description: 'Deprecated; always true.' })) },
  { description: 'The webhooks of the team.' },
);

const mismatch: Mismatch = {
  msg: 'String should be a prefix of event types, as labtest. or daily.data.sleep, without *',
};

const Prefixes = Type.Array(Type.String({ pattern: '^[a-z0-9_.]{1,100}$', maxLength: 100, mismatch }), {
  maxItems: MAX_PREFIXES,
  description:
    'Prefixes of the event types that go to the broker, as labtest. or daily.data.sleep. An empty list stands ' +
    'for all except the operational ones.',
});
const Historical = Type.Boolean({
  description: 'Whether events historical.data.*, which report the end of a pull, go to the broker too.',
});
const Raw = Type.Boolean({
  description: 'Always false, because events do not contain raw data of providers. true is refused.',
});

/** The members that configure something. A request needs at least one of them. */
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
      return [{ at, type: 'value_error', msg: 'No type of event has this prefix: GET /v2/event_types lists them' }];
    }),
  ],
  words: 'At least one of the keys beside `team_ids` is needed, and each prefix must match a type of event.',
};

export const EtlPipelineInput = shape(
  'EtlPipelineInput',
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

export const EtlPipeline = shape('EtlPipeline', {
  team_id: Uuid,
  push_historical_data: Historical,
  provider_raw_data: Raw,
  preferences: Preferences,
  cloud_pubsub: nullable(Type.Object({}, { description: 'Always null: not available.' })),
  rabbitmq: nullable(
    Type.Object(
      {
        uri: Type.String({ description: `The uri of the broker. Its password is ${MASK}.` }),
        exchange: Type.String({ description: 'The exchange for the events.' }),
      },
      { description: 'The broker for the events. Null for none.' },
    ),
  ),
  svix: nullable(
    Type.Object(
      { regional: Type.Boolean({ description: 'Deprecated; always true.' }) },
      { description: 'The webhooks of the team. Null when no request named them.' },
    ),
  ),
  azure_amqp: nullable(Type.Object({}, { description: 'Always null: not available.' })),
  event_type_prefixes: nullable(
    Type.Array(Type.String(), { description: 'Prefixes of the event types that go to the broker. Null for all.' }),
  ),
});
export type EtlPipeline = Static<typeof EtlPipeline>;

export const EtlPipelines = Type.Array(EtlPipeline);

export const EtlPipelinePage = shape('EtlPipelinePage', {
  pipelines: Type.Array(EtlPipeline, { description: 'One entry for each team.' }),
  next_cursor: nullable(Type.String()),
});

export const EtlPipelineQuery = Type.Object({
  team_id: ThisTeam,
  next_cursor: Type.Optional(Cursor()),
});

export const EtlPipelineRemoval = Type.Object({
  team_id: NamedTeams('Teams that lose their pipeline.'),
});
