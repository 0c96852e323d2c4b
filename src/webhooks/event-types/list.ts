import { matches } from '../../events/names.ts';
import type { EventTypeDescription } from './schemas.ts';

type List = { data: EventTypeDescription[] };

/** Of the catalogue those that one of the filters stands for; null: all of it, frozen, so that it is written once. */
export function listEventTypes(catalogue: List, filters: string[] | null): List {
  if (filters === null) return Object.freeze(catalogue);
  return { data: catalogue.data.filter(({ name }) => matches(filters, name)) };
}
