import { Type, type TOptional } from 'typebox';
import { oneOf, Uuid, WordFilter } from '../../../wire/schema.ts';
import { scopesThatCanBeNamed, SCOPED_PROVIDERS, type ScopedProvider } from './scopes.ts';

/** What users must grant at a provider's page, and what they may leave out. */
export type Requirement = { user_must_grant: string[]; user_may_grant: string[] };

function requirementAt(provider: ScopedProvider) {
  const scopes = scopesThatCanBeNamed(provider);
  const list = (description: string) =>
    Type.Array(oneOf(scopes), { maxItems: scopes.length, uniqueItems: true, description });
  return Type.Unsafe<Requirement | null>({
    ...Type.Object({
      user_must_grant: list('Without one of these there is no connection.'),
      user_may_grant: list('These are asked for too, and may be left out.'),
    }),
    type: ['object', 'null'],
    description: 'Both lists empty: what holds for everybody. null: as it was.',
  });
}

export const RequirementsInput = Type.Object(
  Object.fromEntries(
    SCOPED_PROVIDERS.map((provider) => [provider, Type.Optional(requirementAt(provider))]),
  ) as unknown as Record<ScopedProvider, TOptional<ReturnType<typeof requirementAt>>>,
);

export const Requirements = Type.Object({
  requirements: Type.Array(
    Type.Object({
      user_must_grant: Type.Array(Type.String(), { description: 'Without one of these there is no connection.' }),
      user_may_grant: Type.Array(Type.String(), { description: 'These are asked for too, and may be left out.' }),
      team_id: Uuid,
      provider: Type.String({ description: 'Slug of the provider.' }),
    }),
    { description: 'Of the providers that the team has chosen something for.' },
  ),
});

export const RequirementsQuery = Type.Object({
  provider: Type.Optional(WordFilter({ description: 'Only this provider.' })),
});
