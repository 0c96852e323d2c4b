import { matches } from '../../events/names.ts';
import type { EventTypeDescription } from './schemas.ts';

type List = { data: EventTypeDescription[] };

/**
 * Returns the catalogue entries that match a filter. Without filters it returns the complete catalogue. That object is
 * frozen, so that its JSON text is computed only once.
 */
export function listEventTypes(catalogue: List, filters: string[] | null): List {
  if (filters === null) return Object.freeze(catalogue);
  return { data: catalogue.data.filter(({ name }) => matches(filters, name)) };
}
