import { parquetWriteBuffer } from 'hyparquet-writer';
import type { Static } from 'typebox';
import type { AggregationResult } from '../schemas.ts';

export const PARQUET = 'application/vnd.apache.parquet';

/** A table as a Parquet file: its columns by their names, text of groups and numbers of all else, each with nulls. */
export function toParquet({ table }: Static<typeof AggregationResult>): Buffer {
  return Buffer.from(
    parquetWriteBuffer({
      // Both are for files that are read in part; without them it takes no longer than JSON.
      statistics: false,
      codec: 'UNCOMPRESSED',
      columnData: Object.entries(table).map(([name, data]) => ({
        name,
        data,
        type: name.startsWith('group_key.') ? 'STRING' : 'DOUBLE',
      })),
    }),
  );
}
