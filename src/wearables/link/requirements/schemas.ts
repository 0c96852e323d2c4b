import { Type, type TOptional } from 'typebox';
import { oneOf, Uuid, WordFilter } from '../../../wire/schema.ts';
import type { ProviderSlug } from '../../providers/provider-catalogue.ts';
import { scopesThatCanBeNamed, SCOPED_PROVIDERS } from './known-scopes.ts';
import { shape } from '../../../wire/shape.ts';

/** The scopes that users must grant at a provider's page, and those that they may grant. */
export type Requirement = { user_must_grant: string[]; user_may_grant: string[] };

function requirementAt(provider: ProviderSlug) {
  const scopes = scopesThatCanBeNamed(provider);
  const list = (description: string) =>
    Type.Array(oneOf(scopes), { maxItems: scopes.length, uniqueItems: true, description });
  return Type.Unsafe<Requirement | null>({
    ...Type.Object({
      user_must_grant: list('All of these are required for a connection.'),
      user_may_grant: list('Users are asked for these too, and may leave them out.'),
    }),
    type: ['object', 'null'],
    description: 'Both lists empty: the default scopes. null: unchanged.',
  });
}

export const RequirementsInput = shape(
  'RequirementsInput',
  Object.fromEntries(
    SCOPED_PROVIDERS.map((provider) => [provider, Type.Optional(requirementAt(provider))]),
  ) as unknown as Record<ProviderSlug, TOptional<ReturnType<typeof requirementAt>>>,
);

export const Requirements = shape('Requirements', {
  requirements: Type.Array(
    Type.Object({
      user_must_grant: Type.Array(Type.String(), { description: 'All of these are required for a connection.' }),
      user_may_grant: Type.Array(Type.String(), {
        description: 'Users are asked for these too, and may leave them out.',
      }),
      team_id: Uuid,
      provider: Type.String({ description: 'Slug of the provider.' }),
    }),
    { description: 'The providers that the team has chosen scopes for.' },
  ),
});

export const RequirementsQuery = Type.Object({
  provider: Type.Optional(WordFilter({ description: 'Only this provider.' })),
});
