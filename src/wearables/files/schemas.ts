import { Type } from 'typebox';
import { Cursor, nullable, oneOf, Timestamp, Uuid, withDefault } from '../../wire/schema.ts';
import { FILE_KINDS } from './file-kind.ts';
import { SKIP_REASONS } from './skipped.ts';

const IMPORT_STATUSES = ['queued', 'running', 'success', 'failure'] as const;

const count = (description: string) => Type.Integer({ description });

export const FileImport = Type.Object({
  id: Uuid,
  user_id: Uuid,
  kind: oneOf(FILE_KINDS, { description: 'What the file is; its first bytes tell.' }),
  status: oneOf(IMPORT_STATUSES, {
    description: 'queued until its turn comes, running, and then success or failure, which it stays.',
  }),
  bytes: count('Size of the file.'),
  progress: Type.Number({ description: 'The part of the file that has been read, from 0 to 1.' }),
  created: count('Samples and summaries that were not there.'),
  updated: count('Samples and summaries that differ from what was there.'),
  unchanged: count('Samples and summaries that were there already.'),
  outside_ingestion_bounds: count("Records of days that the user's data is not taken of."),
  skipped: count('Records that are not stored, and those of which something was left out.'),
  skipped_by_type: Type.Array(
    Type.Object({
      type: Type.String({
        description:
          'The kind of record: by a type, message, table or file name that its service is known to use, or by the name of a series or ' +
          'summary. `other` for everything else, and after 200 kinds.',
      }),
      reason: oneOf(SKIP_REASONS, {
        description:
          'not_kept: there is no place for it here. unreadable: its value, unit or time is none that is known. ' +
          'impossible: nothing can have been measured so. empty: it says nothing.',
      }),
      records: count('How many there were.'),
    }),
    { description: 'The same by kind and reason, the most first.' },
  ),
  error: nullable(
    Type.Object(
      {
        code: Type.String({ description: 'Why the import ended: a word that programs go by.' }),
        message: Type.String({ description: 'The same for people, with what to do.' }),
      },
      { description: 'Why a failed import failed.' },
    ),
  ),
  created_at: Timestamp,
  started_at: nullable(Timestamp),
  ended_at: nullable(Timestamp),
});

export const FileImportPage = Type.Object({ data: Type.Array(FileImport), next_cursor: nullable(Type.String()) });

export const ImportsQuery = Type.Object({
  next_cursor: Type.Optional(Cursor()),
  page_size: withDefault(Type.Integer({ minimum: 1, maximum: 100, description: 'How many a page has.' }), 50),
});
