import { Type } from 'typebox';
import { MAX_HISTORY_DAYS } from '../../../config/provider-options.ts';
import { NamedTeams, TheseTeams } from '../../../tenancy/team-paths.ts';
import { Cursor, nullable, oneOf, Uuid, withDefault, WordFilter } from '../../../wire/schema.ts';
import { PROVIDER_SLUGS } from '../../providers/provider-catalogue.ts';
import { PULLED_NAMES } from '../events.ts';
import { shape } from '../../../wire/shape.ts';

const Days = Type.Integer({
  minimum: 0,
  maximum: MAX_HISTORY_DAYS,
  description: 'Days of the past that a new connection brings; 0: nothing from before it was made.',
});

const DEFAULT = { description: 'Applies to resources that are not named.' };

const DaysInput = Type.Object({ historical_days_to_pull: Days });

const byName = <T>(names: readonly string[], value: object, options: object) =>
  Type.Unsafe<Record<string, T>>({
    type: 'object',
    maxProperties: names.length,
    propertyNames: { enum: [...names] },
    additionalProperties: value,
    ...options,
  });

const ProviderInput = Type.Object({
  default: Type.Object(DaysInput.properties, DEFAULT),
  resource_overrides: Type.Optional(
    Type.Unsafe<Record<string, { historical_days_to_pull: number }> | null>({
      type: ['object', 'null'],
      maxProperties: PULLED_NAMES.length,
      propertyNames: { enum: PULLED_NAMES },
      additionalProperties: DaysInput,
      description: 'By resource, by its name in events. A resource that is not named has the default.',
    }),
  ),
});

export type ProviderPreferences = {
  default: { historical_days_to_pull: number };
  resource_overrides?: Record<string, { historical_days_to_pull: number }> | null;
};

export const PreferencesInput = shape('PreferencesInput', {
  team_ids: NamedTeams('The teams to set the preferences for.'),
  providers: byName<ProviderPreferences>(PROVIDER_SLUGS, ProviderInput, {
    minProperties: 1,
    description: 'By slug of the provider. Providers that are not named keep their preferences.',
  }),
});

const Limit = Type.Integer({ description: 'The most days that can be chosen.' });
const DaysWithLimit = Type.Object({ historical_days_to_pull: Days, historical_days_to_pull_limit: Limit });
const ofResources = { type: 'object', additionalProperties: DaysWithLimit };

const TeamPreferences = Type.Object({
  team_id: Uuid,
  providers: Type.Record(
    Type.String(),
    Type.Object({
      default: Type.Object(DaysWithLimit.properties, DEFAULT),
      resource_overrides: nullable(
        Type.Unsafe<Record<string, { historical_days_to_pull: number; historical_days_to_pull_limit: number }>>({
          ...ofResources,
          description: 'By resource; null where none has days of its own.',
        }),
      ),
    }),
    { description: 'By slug of the provider: those with preferences of the team.' },
  ),
});

export const PreferencesPage = shape('PreferencesPage', {
  data_pull_preferences: Type.Array(TeamPreferences, { description: 'One entry for each team.' }),
  next_cursor: nullable(Type.String()),
});

const named = {
  team_id: TheseTeams,
};
const these = { maxItems: PROVIDER_SLUGS.length, description: 'These providers; left out, all.' };

export const PreferencesQuery = Type.Object({
  ...named,
  provider: Type.Optional(Type.Array(WordFilter(), these)),
  next_cursor: Type.Optional(Cursor()),
  limit: withDefault(Type.Integer({ minimum: 1, maximum: 100, description: 'Teams on a page.' }), 50),
});

export const PreferencesRemoval = Type.Object({
  team_id: NamedTeams('The teams to remove the preferences of.'),
  provider: Type.Optional(Type.Array(oneOf(PROVIDER_SLUGS), these)),
});
