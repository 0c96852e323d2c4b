import { Type } from 'typebox';
import { nullable, Uuid } from '../wire/schema.ts';

export const ExportLine = Type.Object({
  type: Type.String({ description: 'What data is: user, order, sample and so on; end is the last line.' }),
  user_id: nullable(Type.String({ ...Uuid, description: 'Whose it is; null for what is of the team itself.' })),
  data: Type.Record(Type.String(), Type.Unknown(), { description: 'The record, under the names of the interface.' }),
});

export const ExportQuery = Type.Object({
  after: Type.Optional(
    Type.String({
      format: 'uuid',
      description:
        'Goes on behind this user, whose lines a former export held whole, without those of the team itself.',
    }),
  ),
});
