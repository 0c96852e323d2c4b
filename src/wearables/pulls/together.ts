import type { Importer } from '../providers/importer.ts';

/** The resource whose questions bring this one: another one that it comes with, or itself. */
export const leadOf = ({ resources }: Importer, resource: string): string => resources[resource]?.with ?? resource;

/** A resource with everything that the questions of its lead bring, the lead first. */
export function companionsOf(importer: Importer, resource: string): string[] {
  const lead = leadOf(importer, resource);
  return [lead, ...Object.keys(importer.resources).filter((name) => name !== lead && leadOf(importer, name) === lead)];
}

/** These resources by the questions that bring them, the lead first. What comes with one that is missing is asked for alone. */
export function together(importer: Importer, resources: readonly string[]): string[][] {
  const groups = new Map<string, string[]>();
  for (const resource of resources) {
    const lead = leadOf(importer, resource);
    const asked = resources.includes(lead) ? lead : resource;
    const group = groups.get(asked) ?? [];
    groups.set(asked, resource === asked ? [resource, ...group] : [...group, resource]);
  }
  return [...groups.values()];
}
