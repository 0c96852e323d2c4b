import type { Config } from '../../config/options.ts';
import { resourceAvailability } from '../connections/resource-availability.ts';
import { configuredOrNull } from '../connections/applications/configured.ts';
import { DEMO_IMPORTERS } from './demo/demo-importers.ts';
import { IMPORTERS } from '../providers/registry.ts';
import type { Importer } from '../providers/importer.ts';
import { ownProperty } from '../../wire/own-property.ts';

/**
 * Returns the importer of a connection. Returns null if nothing is pulled from it: a phone, for example, sends its data
 * itself.
 */
export function importerOrNull(
  { config }: { config: Config },
  { provider, demo, credential_id }: { provider: string; demo: boolean; credential_id: string | null },
): Importer | null {
  if (demo) return ownProperty(DEMO_IMPORTERS, provider) ?? null;
  const hasApplication = credential_id !== null || configuredOrNull(config, provider) !== null;
  return hasApplication ? (ownProperty(IMPORTERS, provider) ?? null) : null;
}

/** Returns the resources that a connection brings: those of the importer for which the user has granted the scopes. */
export function grantedResources(
  importer: Importer,
  { provider, demo, granted_scopes }: { provider: string; demo: boolean; granted_scopes: readonly string[] | null },
): string[] {
  const all = Object.keys(importer.resources);
  if (demo) return all;
  const availability = resourceAvailability(provider, granted_scopes);
  return all.filter((resource) => availability[resource]?.status !== 'unavailable');
}
