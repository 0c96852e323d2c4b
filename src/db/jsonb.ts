import type { ColumnType } from 'kysely';

/**
 * A jsonb column. We pass its value as JSON text, because the driver would turn a JavaScript array into a PostgreSQL
 * array.
 */
export type Jsonb = ColumnType<unknown, string | null, string | null>;
