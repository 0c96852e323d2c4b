import type { Static } from 'typebox';
import { providerOrNull } from '../providers/catalogue.ts';
import { connectorOrNull } from '../providers/registry.ts';
import type { ResourceAvailability } from './schemas.ts';

type Availability = Static<typeof ResourceAvailability>;

/**
 * What data a connection can bring, by resource, and which scopes decide about it. Where the scopes are not known, as
 * of a phone or of tokens that came without theirs, all that the provider has counts as available.
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

/** Whether the scopes are enough for anything at all. */
export const bringsAnything = (provider: string, granted: readonly string[] | null): boolean => {
  const all = Object.values(resourceAvailability(provider, granted));
  return all.length === 0 || all.some(({ status }) => status === 'available');
};
