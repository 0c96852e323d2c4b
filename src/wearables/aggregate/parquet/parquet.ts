import { parquetWriteBuffer } from 'hyparquet-writer';
import type { Static } from 'typebox';
import type { AnswerType } from '../answer.ts';
import type { AggregationResult } from '../schemas.ts';

export const PARQUET = 'application/vnd.apache.parquet';

/** A table as a Parquet file: its columns by their names and of their types, each with nulls; a list of words is JSON. */
export function toParquet({ table }: Static<typeof AggregationResult>, types: ReadonlyMap<string, AnswerType>): Buffer {
  return Buffer.from(
    parquetWriteBuffer({
      // Both are for files that are read in part; without them it takes no longer than JSON.
      statistics: false,
      codec: 'UNCOMPRESSED',
      columnData: Object.entries(table).map(([name, data]) => ({
        name,
        data,
        type: TYPES[types.get(name) ?? 'text'],
      })),
    }),
  );
}

const TYPES = { number: 'DOUBLE', text: 'STRING', boolean: 'BOOLEAN', words: 'JSON' } as const;
