import { Type } from 'typebox';
import { NumericId, optional, PageNumber, Text, Uuid } from '../../../wire/schema.ts';

/** What is ordered together, of which the markers are asked. */
export const OrderSetMarkersInput = Type.Object({
  lab_test_ids: optional(Type.Array(Uuid, { maxItems: 20, description: 'Lab tests of the team.' })),
  add_on: optional(
    Type.Object(
      {
        marker_ids: optional(Type.Array(NumericId, { maxItems: 200, description: 'Markers by id.' })),
        provider_ids: optional(
          Type.Array(Text(200), { maxItems: 200, description: "Markers by their laboratory's order codes." }),
        ),
      },
      { description: 'Markers beside the lab tests, or without any.' },
    ),
  ),
  lab_account_id: optional(Uuid),
});

export const OrderSetMarkersQuery = Type.Object({
  page: Type.Optional(PageNumber),
  size: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 50 })),
});
