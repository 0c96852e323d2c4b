import { Type } from 'typebox';
import type { Mismatch } from '../wire/mismatch.ts';
import { WordFilter } from '../wire/schema.ts';
import { EVENT_FILTER_PATTERN, EVENT_NAMES, eventFilters } from './names.ts';

const mismatch: Mismatch = {
  msg: 'Not a type of event: GET /v2/event_types lists them, and a beginning of one ends in .*',
  names: eventFilters(),
};

/** Most types that one list names, or beginnings of them. */
const MOST_FILTERS = 200;

/** A type of event by its name, or all that begin alike: `labtest.order.*`. */
const EventFilter = Type.String({
  pattern: EVENT_FILTER_PATTERN,
  maxLength: Math.max(...EVENT_NAMES.map((name) => name.length)),
  mismatch,
});

/** What is kept and acted on: what no type is called is refused. */
export const EventFilters = (description: string) =>
  Type.Array(EventFilter, { minItems: 1, maxItems: MOST_FILTERS, description });

/** What a list is asked for by, open as every filter of a list. */
export const WantedTypes = (leftOut: string) =>
  Type.Array(WordFilter(), {
    maxItems: MOST_FILTERS,
    description:
      'Types by name, or by a beginning that ends in `.*`, as `labtest.order.*`; one that is not known matches nothing. ' +
      `Left out: ${leftOut}`,
  });

/** Filters as they are stored: each once. */
export const distinct = (filters: string[] | null): string[] | null => filters && [...new Set(filters)];
