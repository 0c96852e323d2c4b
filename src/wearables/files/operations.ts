import { Type } from 'typebox';
import { operation } from '../../operation/operation.ts';
import { byteStream } from '../../operation/media.ts';
import { Uuid } from '../../wire/schema.ts';
import { findImport, listImports } from './find-import.ts';
import { FileImport, FileImportPage, ImportsQuery } from './schemas.ts';
import { startImport } from './start-import.ts';

const tag = 'imports';

/**
 * The content types that we accept. Many senders state only octet-stream, so the first bytes of the file decide its
 * kind.
 */
const TYPES = [
  'application/octet-stream',
  'application/zip',
  'text/csv',
  'application/vnd.ant.fit',
  'application/vnd.garmin.tcx+xml',
  'application/gpx+xml',
];
/** The largest file that a deployment can be set to accept. The operator sets the actual limit. */
const MAX_BYTES = 64 * 1024 ** 3;

export const fileOperations = [
  operation({
    id: 'import_file',
    method: 'POST',
    path: '/v2/user/{user_id}/import',
    tag,
    params: Type.Object({ user_id: Uuid }),
    body: byteStream(TYPES, MAX_BYTES),
    response: FileImport,
    status: 202,
    summary: "Import a file of a user's data",
    description:
      'The body is the file: an archive of Apple Health, Garmin, Google Takeout (Fitbit) or Samsung Health, or a ' +
      'FIT, TCX or GPX file. It is imported after the response, one file of a team at a time. GET ' +
      '/v2/user/{user_id}/import/{import_id} returns the progress. A file that is sent again changes nothing.',
    refusals: [
      'not_found',
      'user_scheduled_for_deletion',
      'file_not_recognised',
      'file_too_large',
      'limit_reached',
      'storage_full',
    ],
    handle: (ctx, { params: { user_id }, body }) => startImport(ctx, user_id, body),
  }),
  operation({
    id: 'list_imports',
    method: 'GET',
    path: '/v2/user/{user_id}/import',
    tag,
    params: Type.Object({ user_id: Uuid }),
    query: ImportsQuery,
    response: FileImportPage,
    summary: "List the imports of a user's files",
    description: 'Newest first. Ended imports are listed for the retention time of events.',
    refusals: ['not_found', 'user_scheduled_for_deletion', 'invalid_cursor'],
    handle: (ctx, { params: { user_id }, query }) => listImports(ctx, user_id, query),
  }),
  operation({
    id: 'get_import',
    method: 'GET',
    path: '/v2/user/{user_id}/import/{import_id}',
    tag,
    params: Type.Object({ user_id: Uuid, import_id: Uuid }),
    response: FileImport,
    summary: 'Read the progress of an import',
    description:
      'The counts rise as data is stored. What an import has counted as stored stays, also if the import fails later.',
    refusals: ['not_found', 'user_scheduled_for_deletion'],
    handle: (ctx, { params: { user_id, import_id } }) => findImport(ctx, user_id, import_id),
  }),
];
