import type { ColumnType } from 'kysely';

/** A jsonb column: written as JSON text, since the driver would turn an array into a PostgreSQL array. */
export type Jsonb = ColumnType<unknown, string | null, string | null>;
