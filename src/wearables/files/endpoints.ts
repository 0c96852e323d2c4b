import { Type } from 'typebox';
import { endpoint } from '../../http/endpoint.ts';
import { byteStream } from '../../http/media.ts';
import { Uuid } from '../../wire/schema.ts';
import { findImport, listImports } from './find-import.ts';
import { FileImport, FileImportPage, ImportsQuery } from './schemas.ts';
import { startImport } from './start-import.ts';

const tag = 'imports';

/** Whatever they say, the first bytes decide; a file manager rarely knows more than octet-stream. */
const TYPES = [
  'application/octet-stream',
  'application/zip',
  'text/csv',
  'application/vnd.ant.fit',
  'application/vnd.garmin.tcx+xml',
  'application/gpx+xml',
];
/** No file is larger; what one may be is the operator's option. */
const MOST_BYTES = 64 * 1024 ** 3;

export const fileEndpoints = [
  endpoint({
    id: 'import_file',
    method: 'POST',
    path: '/v2/user/{user_id}/import',
    tag,
    params: Type.Object({ user_id: Uuid }),
    body: byteStream(TYPES, MOST_BYTES),
    response: FileImport,
    status: 202,
    summary: "Import a file of a user's data",
    description:
      'An archive of Apple Health, Garmin, Google Takeout (Fitbit) or Samsung Health, or a FIT, TCX or GPX file, as the body ' +
      'itself. It is read after the answer, one file of a team at a time; GET /v2/user/{user_id}/import/{import_id} tells how ' +
      'far it is. Sent again a file changes nothing.',
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
  endpoint({
    id: 'list_imports',
    method: 'GET',
    path: '/v2/user/{user_id}/import',
    tag,
    params: Type.Object({ user_id: Uuid }),
    query: ImportsQuery,
    response: FileImportPage,
    summary: "List the imports of a user's files",
    description: 'Newest first. What has ended is listed as long as events are kept.',
    refusals: ['not_found', 'user_scheduled_for_deletion', 'invalid_cursor'],
    handle: (ctx, { params: { user_id }, query }) => listImports(ctx, user_id, query),
  }),
  endpoint({
    id: 'get_import',
    method: 'GET',
    path: '/v2/user/{user_id}/import/{import_id}',
    tag,
    params: Type.Object({ user_id: Uuid, import_id: Uuid }),
    response: FileImport,
    summary: 'Read how far an import is',
    description: 'What it stored is counted as it is stored: an import that fails half-way leaves what it counts.',
    refusals: ['not_found', 'user_scheduled_for_deletion'],
    handle: (ctx, { params: { user_id, import_id } }) => findImport(ctx, user_id, import_id),
  }),
];
