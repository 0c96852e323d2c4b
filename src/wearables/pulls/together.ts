import type { Puller } from './puller.ts';

/** The resource whose questions bring this one: another one that it comes with, or itself. */
export const leadOf = ({ resources }: Puller, resource: string): string => resources[resource]?.with ?? resource;

/** A resource with everything that the questions of its lead bring, the lead first. */
export function companionsOf(puller: Puller, resource: string): string[] {
  const lead = leadOf(puller, resource);
  return [lead, ...Object.keys(puller.resources).filter((name) => name !== lead && leadOf(puller, name) === lead)];
}

/** These resources by the questions that bring them, the lead first. What comes with one that is missing is asked for alone. */
export function together(puller: Puller, resources: readonly string[]): string[][] {
  const groups = new Map<string, string[]>();
  for (const resource of resources) {
    const lead = leadOf(puller, resource);
    const asked = resources.includes(lead) ? lead : resource;
    const group = groups.get(asked) ?? [];
    groups.set(asked, resource === asked ? [resource, ...group] : [...group, resource]);
  }
  return [...groups.values()];
}
