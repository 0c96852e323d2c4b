import type { Config } from '../../config/options.ts';
import { resourceAvailability } from '../connections/availability.ts';
import { configuredOrNull } from '../connections/applications/configured.ts';
import { DEMO_IMPORTERS } from './demo/importers.ts';
import { IMPORTERS } from '../providers/registry.ts';
import type { Importer } from '../providers/importer.ts';
import { ownOf } from '../../wire/own.ts';

/** How data of a connection is fetched; null where nothing is, as of a phone, which sends by itself. */
export function importerOrNull(
  { config }: { config: Config },
  { provider, demo, credential_id }: { provider: string; demo: boolean; credential_id: string | null },
): Importer | null {
  if (demo) return ownOf(DEMO_IMPORTERS, provider) ?? null;
  const hasApplication = credential_id !== null || configuredOrNull(config, provider) !== null;
  return hasApplication ? (ownOf(IMPORTERS, provider) ?? null) : null;
}

/** What of it a connection brings: everything but what its user has not granted. */
export function grantedResources(
  importer: Importer,
  { provider, demo, granted_scopes }: { provider: string; demo: boolean; granted_scopes: readonly string[] | null },
): string[] {
  const all = Object.keys(importer.resources);
  if (demo) return all;
  const availability = resourceAvailability(provider, granted_scopes);
  return all.filter((resource) => availability[resource]?.status !== 'unavailable');
}
