import { Type } from 'typebox';
import type { Mismatch } from '../wire/mismatch.ts';
import { EVENT_FILTER_PATTERN, EVENT_NAMES, filtersFor } from './names.ts';

const mismatch: Mismatch = {
  msg: 'Not a type of event: GET /v2/event_types lists them, and a beginning of one ends in .*',
  names: [...new Set(EVENT_NAMES.flatMap(filtersFor))],
};

/** A type of event by its name, or all that begin alike: `labtest.order.*`. */
export const EventFilter = Type.String({
  pattern: EVENT_FILTER_PATTERN,
  maxLength: Math.max(...EVENT_NAMES.map((name) => name.length)),
  mismatch,
});
