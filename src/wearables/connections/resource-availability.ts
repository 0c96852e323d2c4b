import type { Static } from 'typebox';
import { providerOrNull } from '../providers/provider-catalogue.ts';
import { connectorOrNull } from '../providers/registry.ts';
import type { ResourceAvailability } from './schemas.ts';

type Availability = Static<typeof ResourceAvailability>;

/**
 * Returns the resources that a connection can bring, with the scopes that each of them needs. A phone has no scopes,
 * and some providers state none. Then every resource of the provider is available.
 */
export function resourceAvailability(
  provider: string,
  granted: readonly string[] | null,
): Record<string, Availability> {
  const connector = connectorOrNull(provider);
  const resources = connector ? Object.keys(connector.scopes) : (providerOrNull(provider)?.resources ?? []);
  return Object.fromEntries(
    resources.map((resource) => [resource, availabilityOf(connector?.scopes[resource], granted)]),
  );
}

function availabilityOf(
  wanted: { required: readonly string[]; optional?: readonly string[] } | undefined,
  granted: readonly string[] | null,
): Availability {
  if (!wanted || granted === null) return { status: 'available', scope_requirements: null };
  const of = (isGranted: boolean): { required: string[]; optional: string[] } => ({
    required: wanted.required.filter((scope) => granted.includes(scope) === isGranted),
    optional: (wanted.optional ?? []).filter((scope) => granted.includes(scope) === isGranted),
  });
  const denied = of(false);
  return {
    status: denied.required.length === 0 ? 'available' : 'unavailable',
    scope_requirements: { user_granted: of(true), user_denied: denied },
  };
}

/** Whether the scopes allow at least one resource. */
export const bringsAnything = (provider: string, granted: readonly string[] | null): boolean => {
  const all = Object.values(resourceAvailability(provider, granted));
  return all.length === 0 || all.some(({ status }) => status === 'available');
};
