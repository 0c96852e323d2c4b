import { Type } from 'typebox';
import { NumericId, oneOf, optional, Text, Uuid } from '../../../wire/schema.ts';
import { COLLECTION_METHODS } from '../schemas.ts';
import { shape } from '../../../wire/shape.ts';

const MAX_MARKERS = 100;

export const LabTestInput = shape('LabTestInput', {
  name: Text(200),
  description: Text(2_000),
  method: oneOf(COLLECTION_METHODS, { description: 'The collection method; the laboratory has to offer it.' }),
  marker_ids: optional(
    Type.Array(NumericId, {
      maxItems: MAX_MARKERS,
      description: 'The markers of the lab test, all of one laboratory.',
    }),
  ),
  provider_ids: optional(
    Type.Array(Text(200), {
      maxItems: MAX_MARKERS,
      description: "Further markers, by the laboratory's own order codes.",
    }),
  ),
  fasting: optional(Type.Boolean({ default: false })),
  lab_account_id: optional(Type.Unsafe<string>({ ...Uuid, description: 'One of your accounts at the laboratory.' })),
  lab_slug: optional(Text(100, { description: 'The laboratory, if several laboratories have these order codes.' })),
});

export const LabTestPatch = shape('LabTestPatch', {
  name: optional(Text(200)),
  active: optional(
    Type.Boolean({
      description: 'Whether it can be ordered. An approved lab test stays approved while it is inactive.',
    }),
  ),
});
