import { createHash } from 'node:crypto';
import type { Bundle, BundleEntry, FhirResource, Reference } from 'fhir/r4.js';

/** Makes an id from these parts. The same parts always give the same id. */
export function idOf(...parts: string[]): string {
  const hex = createHash('sha256').update(JSON.stringify(parts)).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

const urlOf = (id: string): string => `urn:uuid:${id}`;

/** Makes a reference to a resource of the same bundle. */
export const referTo = (id: string): Reference => ({ reference: urlOf(id) });

/**
 * Makes a Bundle of the type `collection`. This type says that a client only reads the resources together, and that no
 * server has to store them.
 */
export function collectionOf(id: string, timestamp: string, resources: FhirResource[]): Bundle {
  const entry = resources.map((resource): BundleEntry => ({ fullUrl: urlOf(resource.id as string), resource }));
  return withoutEmpty({ resourceType: 'Bundle', id, type: 'collection', timestamp, entry }) as Bundle;
}

/** Removes empty values. R4 allows no null, no empty array or object, and no blank text. */
function withoutEmpty(value: unknown): unknown {
  if (typeof value === 'string') return value.trim() === '' ? undefined : value;
  if (typeof value !== 'object' || value === null) return value ?? undefined;
  if (Array.isArray(value)) {
    const nonEmpty = value.map(withoutEmpty).filter((each) => each !== undefined);
    return nonEmpty.length > 0 ? nonEmpty : undefined;
  }
  const nonEmpty = Object.entries(value).flatMap(([key, each]) => {
    const whole = withoutEmpty(each);
    return whole === undefined ? [] : [[key, whole] as const];
  });
  return nonEmpty.length > 0 ? Object.fromEntries(nonEmpty) : undefined;
}
