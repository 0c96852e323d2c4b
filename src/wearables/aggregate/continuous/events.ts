import { Type } from 'typebox';
import { defineEvent } from '../../../events/define.ts';
import { ContinuousQueryResultTableChanges } from './schemas.ts';

export const resultTableChanged = defineEvent({
  name: 'continuous_query.result_table.changed',
  data: Type.Array(ContinuousQueryResultTableChanges),
  summary:
    'The result table of a continuous query for a user has rows that are new or differ. The event contains these ' +
    'rows. Very many rows are published in several events.',
});
