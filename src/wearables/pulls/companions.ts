import type { Importer } from '../providers/importer.ts';

/** Returns the lead of a resource: the resource whose requests bring it, which may be itself. */
export const leadOf = ({ resources }: Importer, resource: string): string => resources[resource]?.with ?? resource;

/** Returns all resources that come with the same requests as this one, the lead first. */
export function companionsOf(importer: Importer, resource: string): string[] {
  const lead = leadOf(importer, resource);
  return [lead, ...Object.keys(importer.resources).filter((name) => name !== lead && leadOf(importer, name) === lead)];
}

/**
 * Groups resources by the requests that bring them, the lead first. A resource whose lead is not in the list gets
 * requests of its own.
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
