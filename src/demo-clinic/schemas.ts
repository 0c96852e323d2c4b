import { Type } from 'typebox';
import { nullable, oneOf, Timestamp } from '../wire/schema.ts';
import { shape } from '../wire/shape.ts';

const STATES = ['none', 'loading', 'loaded', 'failed'] as const;

export const DemoClinic = shape('DemoClinic', {
  state: oneOf(STATES, { description: 'none: never requested. failed: a POST continues where it stopped.' }),
  done: Type.Integer({ description: 'The steps that are done.' }),
  total: Type.Integer({ description: 'The steps of the whole demo clinic.' }),
  next: nullable(Type.String({ description: 'What comes next, in words for a person. null unless it is loading.' })),
  team_is_empty: Type.Boolean({ description: 'Whether the team has neither users nor endpoints.' }),
  started_at: nullable(Timestamp),
  ended_at: nullable(Timestamp),
});
