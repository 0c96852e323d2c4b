import { createHash } from 'node:crypto';
import type { Bundle, BundleEntry, FhirResource, Reference } from 'fhir/r4.js';

/** The same id for the same thing of an order, whenever it is asked for. */
export function idOf(...parts: string[]): string {
  const hex = createHash('sha256').update(JSON.stringify(parts)).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

const urlOf = (id: string): string => `urn:uuid:${id}`;

/** A reference to what stands in the same bundle. */
export const referTo = (id: string): Reference => ({ reference: urlOf(id) });

/** What belongs together, for a reader: nothing in it is to be stored anew. */
export function collectionOf(id: string, timestamp: string, resources: FhirResource[]): Bundle {
  const entry = resources.map((resource): BundleEntry => ({ fullUrl: urlOf(resource.id as string), resource }));
  return withoutEmpty({ resourceType: 'Bundle', id, type: 'collection', timestamp, entry }) as Bundle;
}

/** What is not known is left out: R4 has no null, no empty array or object, and no text without a letter. */
function withoutEmpty(value: unknown): unknown {
  if (typeof value === 'string') return value.trim() === '' ? undefined : value;
  if (typeof value !== 'object' || value === null) return value ?? undefined;
  if (Array.isArray(value)) {
    const kept = value.map(withoutEmpty).filter((each) => each !== undefined);
    return kept.length > 0 ? kept : undefined;
  }
  const kept = Object.entries(value).flatMap(([key, each]) => {
    const whole = withoutEmpty(each);
    return whole === undefined ? [] : [[key, whole] as const];
  });
  return kept.length > 0 ? Object.fromEntries(kept) : undefined;
}
