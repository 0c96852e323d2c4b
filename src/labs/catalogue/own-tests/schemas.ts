import { Type } from 'typebox';
import { NumericId, oneOf, optional, Text, Uuid } from '../../../wire/schema.ts';
import { COLLECTION_METHODS } from '../schemas.ts';

const MOST_MARKERS = 100;

export const LabTestInput = Type.Object({
  name: Text(200),
  description: Text(2_000),
  method: oneOf(COLLECTION_METHODS, { description: 'How the sample is taken; its laboratory has to offer it.' }),
  marker_ids: optional(
    Type.Array(NumericId, { maxItems: MOST_MARKERS, description: 'What it measures: markers of one laboratory.' }),
  ),
  provider_ids: optional(
    Type.Array(Text(200), {
      maxItems: MOST_MARKERS,
      description: "Further markers, by the laboratory's own order codes.",
    }),
  ),
  fasting: optional(Type.Boolean({ default: false })),
  lab_account_id: optional(Type.Unsafe<string>({ ...Uuid, description: 'An account of yours at the laboratory.' })),
  lab_slug: optional(
    Text(100, { description: 'The laboratory, where order codes alone do not say which one is meant.' }),
  ),
});

export const LabTestPatch = Type.Object({
  name: optional(Text(200)),
  active: optional(Type.Boolean({ description: 'Whether it can be ordered; once approved, it comes back as it was.' })),
});
