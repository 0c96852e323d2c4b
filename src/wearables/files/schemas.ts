import { Type } from 'typebox';
import { Cursor, nullable, oneOf, Timestamp, Uuid, withDefault } from '../../wire/schema.ts';
import { FILE_KINDS } from './file-kind.ts';
import { SKIP_REASONS } from './skipped.ts';
import { shape } from '../../wire/shape.ts';

const IMPORT_STATUSES = ['queued', 'running', 'success', 'failure'] as const;

const count = (description: string) => Type.Integer({ description });

export const FileImport = shape('FileImport', {
  id: Uuid,
  user_id: Uuid,
  kind: oneOf(FILE_KINDS, { description: 'The kind of file, found by its first bytes or its list of files.' }),
  status: oneOf(IMPORT_STATUSES, {
    description: '`queued` at first, then `running`, and at the end `success` or `failure`.',
  }),
  bytes: count('Size of the file.'),
  progress: Type.Number({ description: 'The part of the file that has been read, from 0 to 1.' }),
  created: count('Number of new samples and summaries.'),
  updated: count('Number of samples and summaries that differ from the stored ones.'),
  unchanged: count('Number of samples and summaries that were stored already.'),
  outside_ingestion_bounds: count(
    "Number of records of days outside the user's ingestion bounds. They are not stored.",
  ),
  skipped: count('Number of records that were not stored, or of which something was left out.'),
  skipped_by_type: Type.Array(
    Type.Object({
      type: Type.String({
        description:
          'The kind of record: a type, message, table or file name that the service is known to use, or the name of ' +
          'a series or summary. `other` for everything else, and after 200 kinds.',
      }),
      reason: oneOf(SKIP_REASONS, {
        description:
          '`not_kept`: Phial does not store this kind of record. `unreadable`: its value, unit or time is not known. ' +
          '`impossible`: no device can have measured this. `empty`: it has no value.',
      }),
      records: count('Number of records.'),
    }),
    { description: 'The skipped records by kind and reason, the largest number first.' },
  ),
  error: nullable(
    Type.Object(
      {
        code: Type.String({ description: 'Why the import failed, as a code for programs.' }),
        message: Type.String({ description: 'Why the import failed and what to do, as a text for people.' }),
      },
      { description: 'Why the import failed; null for an import that did not fail.' },
    ),
  ),
  created_at: Timestamp,
  started_at: nullable(Timestamp),
  ended_at: nullable(Timestamp),
});

export const FileImportPage = shape('FileImportPage', {
  data: Type.Array(FileImport),
  next_cursor: nullable(Type.String()),
});

export const ImportsQuery = Type.Object({
  next_cursor: Type.Optional(Cursor()),
  page_size: withDefault(Type.Integer({ minimum: 1, maximum: 100, description: 'Imports in a page.' }), 50),
});
