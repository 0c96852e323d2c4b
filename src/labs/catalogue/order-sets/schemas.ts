import { Type } from 'typebox';
import { NumericId, optional, PageNumber, Text, Uuid, withDefault } from '../../../wire/schema.ts';

const MOST_TESTS = 20;
const MOST_MARKERS = 200;

/** Markers that are ordered beside lab tests, or without any. */
export const AddOnInput = Type.Object({
  marker_ids: optional(
    Type.Array(NumericId, {
      maxItems: MOST_MARKERS,
      description: 'Markers by id.',
    }),
  ),
  provider_ids: optional(
    Type.Array(Text(200), {
      maxItems: MOST_MARKERS,
      description: "Markers by their laboratory's order codes.",
    }),
  ),
});

/** What is ordered together: lab tests, markers beside them, or both, all of one laboratory. */
export const OrderSetInput = Type.Object({
  lab_test_ids: optional(Type.Array(Uuid, { maxItems: MOST_TESTS, description: 'Lab tests of the team.' })),
  add_on: optional(AddOnInput),
  lab_account_id: optional(Uuid),
});

export const OrderSetMarkersQuery = Type.Object({
  page: PageNumber,
  size: withDefault(Type.Integer({ minimum: 1, maximum: 100 }), 50),
});
