import { Type } from 'typebox';
import type { Mismatch } from '../wire/mismatch.ts';
import { WordFilter } from '../wire/schema.ts';
import { EVENT_FILTER_PATTERN, EVENT_NAMES, eventFilters } from './names.ts';

const mismatch: Mismatch = {
  msg: 'Not a type of event: GET /v2/event_types lists them, and a prefix of one ends in .*',
  names: eventFilters(),
};

const MAX_FILTERS = 200;

/** The name of an event type, or a prefix like `labtest.order.*`. */
const EventFilter = Type.String({
  pattern: EVENT_FILTER_PATTERN,
  maxLength: Math.max(...EVENT_NAMES.map((name) => name.length)),
  mismatch,
});

/** The schema of filters to store. A filter that matches no event type is a mistake, so the schema refuses it. */
export const EventFilters = (description: string) =>
  Type.Array(EventFilter, { minItems: 1, maxItems: MAX_FILTERS, description });

/**
 * The schema of filters in the query of a list. As in all such queries, an unknown value is allowed and matches
 * nothing.
 */
export const WantedTypes = (leftOut: string) =>
  Type.Array(WordFilter(), {
    maxItems: MAX_FILTERS,
    description:
      'Event types by name, or by a prefix that ends in `.*`, as `labtest.order.*`. An unknown type matches ' +
      `nothing. Without this parameter: ${leftOut}`,
  });

/** Returns the filters without duplicates. */
export const distinct = (filters: string[] | null): string[] | null => filters && [...new Set(filters)];
