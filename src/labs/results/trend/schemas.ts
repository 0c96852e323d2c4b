import { Type } from 'typebox';
import { nullable, oneOf, TextFilter, Timestamp, Uuid } from '../../../wire/schema.ts';
import { shape } from '../../../wire/shape.ts';
import { INTERPRETATIONS, RESULT_TYPES } from '../schemas.ts';

export const ResultTrendQuery = Type.Object({
  marker: Type.Optional(
    TextFilter({
      description:
        'A marker: the id of a marker of an order, a LOINC code, or a slug. Without it, the lines have no points.',
    }),
  ),
});

const Point = Type.Object({
  order_id: Uuid,
  result: Type.String({ description: 'As it was reported.' }),
  value: nullable(Type.Number({ description: 'The number of a numeric result; null for any other type.' })),
  type: oneOf(RESULT_TYPES, { description: 'What `result` contains: a number, a range, a comment or a code.' }),
  reference_range: nullable(Type.String()),
  min_range_value: nullable(Type.Number()),
  max_range_value: nullable(Type.Number()),
  interpretation: oneOf(INTERPRETATIONS),
  source_interpretation: Type.String({ description: "The laboratory's own flag (HL7 table 0078)." }),
  is_final: Type.Boolean({ description: 'False if the laboratory may still change the result.' }),
  is_corrected: Type.Boolean({ description: 'Whether the laboratory changed it after it was final.' }),
  collected_at: nullable({ ...Timestamp, description: 'When the sample was taken; null if nobody said so.' }),
  reported_at: nullable({ ...Timestamp, description: 'When the laboratory reported it.' }),
});

export const ResultTrend = shape('ResultTrend', {
  user_id: Uuid,
  lines: Type.Array(
    Type.Object({
      name: Type.String(),
      slug: Type.String({ description: 'Short name of what was measured.' }),
      loinc: nullable(Type.String()),
      unit: nullable(Type.String()),
      point_count: Type.Integer({ description: 'Number of results of this line.' }),
      newest: { ...Point, description: 'The newest result of this line.' },
      points: nullable(
        Type.Array(Point, { description: 'The results of this line, the oldest first; null without `marker`.' }),
      ),
    }),
    { description: 'One line for each value that was measured and each unit, by name. Units are never mixed.' },
  ),
});
