import type { Importer } from '../providers/importer.ts';

/** Returns the resource whose requests bring this one: its lead or itself. */
export const leadOf = ({ resources }: Importer, resource: string): string => resources[resource]?.with ?? resource;

/** Returns a resource with all resources that the requests of its lead bring, the lead first. */
export function companionsOf(importer: Importer, resource: string): string[] {
  const lead = leadOf(importer, resource);
  return [lead, ...Object.keys(importer.resources).filter((name) => name !== lead && leadOf(importer, name) === lead)];
}

/**
 * Groups these resources by the requests that bring them, the lead first. If the lead of a resource is not in the list,
 * the resource gets a separate request.
 */
export function groupByRequest(importer: Importer, resources: readonly string[]): string[][] {
  const groups = new Map<string, string[]>();
  for (const resource of resources) {
    const lead = leadOf(importer, resource);
    const asked = resources.includes(lead) ? lead : resource;
    const group = groups.get(asked) ?? [];
    groups.set(asked, resource === asked ? [resource, ...group] : [...group, resource]);
  }
  return [...groups.values()];
}
