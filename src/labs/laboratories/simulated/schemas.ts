import { Type } from 'typebox';
import { COLLECTION_METHODS, fullStatus, statusesOf } from '../../orders/status/table.ts';
import { INTERPRETATIONS, RESULT_TYPES } from '../../results/schemas.ts';
import { oneOf, optional } from '../../../wire/schema.ts';

export const SimulationFlags = Type.Object({
  interpretation: Type.Optional(oneOf(INTERPRETATIONS, { default: 'normal' })),
  result_types: optional(Type.Array(oneOf(RESULT_TYPES), { minItems: 1, maxItems: 4 })),
  has_missing_results: optional(Type.Boolean()),
});

/** Every status of every method, and the older spelling of the registered one. */
export const FinalStatus = oneOf([
  ...COLLECTION_METHODS.flatMap((method) => statusesOf(method).map((status) => fullStatus(method, status) as string)),
  'received.testkit.registered',
]);
