import { matches } from '../../events/names.ts';
import type { EventTypeDescription } from './schemas.ts';

type List = { data: EventTypeDescription[] };

/**
 * Returns the entries of the catalogue that match a filter. Without filters, returns the catalogue itself. We freeze
 * it, because the HTTP layer caches the JSON of frozen values.
 */
export function listEventTypes(catalogue: List, filters: string[] | null): List {
  if (filters === null) return Object.freeze(catalogue);
  return { data: catalogue.data.filter(({ name }) => matches(filters, name)) };
}
