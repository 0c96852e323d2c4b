import { Type } from 'typebox';
import { nullable, Uuid } from '../wire/schema.ts';
import { shape } from '../wire/shape.ts';

export const ExportLine = shape('ExportLine', {
  type: Type.String({ description: 'The kind of data: user, order, sample and so on. end is the last line.' }),
  user_id: nullable(Type.String({ ...Uuid, description: 'The user of the data. Null for data of the team itself.' })),
  data: Type.Record(Type.String(), Type.Unknown(), { description: 'The record, with the names of the interface.' }),
});

export const ExportQuery = Type.Object({
  after: Type.Optional(
    Type.String({
      format: 'uuid',
      description:
        'Continues after this user, whose lines are complete in an earlier export. The data of the team ' +
        'itself is not repeated.',
    }),
  ),
  user_id: Type.Optional(
    Type.String({ format: 'uuid', description: 'Exports only the lines of this user, and none of the team itself.' }),
  ),
});
