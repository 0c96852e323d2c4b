import { Type } from 'typebox';
import { COLLECTION_METHODS, fullStatus, statusesOf } from '../../orders/status/statuses.ts';
import { INTERPRETATIONS, RESULT_TYPES } from '../../results/schemas.ts';
import { oneOf, optional } from '../../../wire/schema.ts';
import { named, shape } from '../../../wire/shape.ts';

export const SimulationFlags = shape('SimulationFlags', {
  interpretation: Type.Optional(oneOf(INTERPRETATIONS, { default: 'normal' })),
  result_types: optional(Type.Array(oneOf(RESULT_TYPES), { minItems: 1, maxItems: 4 })),
  has_missing_results: optional(Type.Boolean()),
});

/** Every status of every method, and an alternative spelling of the status for a registered kit. */
export const FinalStatus = named(
  'FinalStatus',
  oneOf([
    ...COLLECTION_METHODS.flatMap((method) => statusesOf(method).map((status) => fullStatus(method, status) as string)),
    'received.testkit.registered',
  ]),
);
