import { Type } from 'typebox';
import { defineEvent } from '../../../events/define.ts';
import { ContinuousQueryResultTableChanges } from './schemas.ts';

export const resultTableChanged = defineEvent({
  name: 'continuous_query.result_table.changed',
  data: Type.Array(ContinuousQueryResultTableChanges),
  summary:
    'The table that a continuous query has of a user has rows that are new or differ: those are told, in several events ' +
    'where there are very many.',
});
