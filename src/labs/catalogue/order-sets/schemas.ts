import { Type } from 'typebox';
import { NumericId, optional, PageNumber, Text, Uuid, withDefault } from '../../../wire/schema.ts';
import { shape } from '../../../wire/shape.ts';

const MAX_TESTS = 20;
const MAX_MARKERS = 200;

/** Markers that are ordered in addition to lab tests, or without any lab test. */
const AddOnInput = shape('AddOnInput', {
  marker_ids: optional(
    Type.Array(NumericId, {
      maxItems: MAX_MARKERS,
      description: 'Markers by id.',
    }),
  ),
  provider_ids: optional(
    Type.Array(Text(200), {
      maxItems: MAX_MARKERS,
      description: "Markers by their laboratory's order codes.",
    }),
  ),
});

/** Lab tests, additional markers, or both, that are ordered together. All must be of one laboratory. */
export const OrderSetInput = shape('OrderSetInput', {
  lab_test_ids: optional(Type.Array(Uuid, { maxItems: MAX_TESTS, description: 'Lab tests of the team.' })),
  add_on: optional(AddOnInput),
  lab_account_id: optional(Uuid),
});

export const OrderSetMarkersQuery = Type.Object({
  page: PageNumber,
  size: withDefault(Type.Integer({ minimum: 1, maximum: 100 }), 50),
});
