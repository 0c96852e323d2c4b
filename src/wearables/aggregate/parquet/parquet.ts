import { parquetWriteBuffer } from 'hyparquet-writer';
import type { Static } from 'typebox';
import type { ResultType } from '../query-result.ts';
import type { AggregationResult } from '../schemas.ts';

export const PARQUET = 'application/vnd.apache.parquet';

/**
 * Returns a table as a Parquet file with the names and types of its columns. Every column may contain null. A list of
 * words becomes a text with JSON.
 */
export function toParquet({ table }: Static<typeof AggregationResult>, types: ReadonlyMap<string, ResultType>): Buffer {
  return Buffer.from(
    parquetWriteBuffer({
      // Statistics and compression only help readers of large files. These files are small. Without both, writing them
      // is as fast as writing JSON.
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
