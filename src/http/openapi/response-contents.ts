// The responses of an operation in the OpenAPI document, by status.
import { refusesByPage } from '../response/declared-codes.ts';
import type { Operation } from '../../operation/operation.ts';
import { headers, headersOf } from './response-headers.ts';
import { refusals } from './refusals.ts';
import type { ComponentSchemas, Json } from './schemas.ts';

const as = (type: string, schema: Json, example: unknown): Json => ({
  [type]: { schema, ...(example === undefined ? {} : { example }) },
});
/** A body with one value per line. The schema and the example describe a single line. */
export const lines = (schema: Json, example?: unknown): Json => as('application/x-ndjson', schema, example);
export const json = (schema: Json, example?: unknown): Json => as('application/json', schema, example);

const PAGE: Json = { 'text/html': { schema: { type: 'string' } } };

/** @param example an example of a successful response. Needed if the schema alone does not describe it well */
export function responsesOf(operation: Operation, schemas: ComponentSchemas, example?: unknown): Record<string, Json> {
  const responseWith = (status: number, description: string, content?: Json): Record<string, Json> => ({
    [status]: { description, ...headers(headersOf(operation, status)), ...(content ? { content } : {}) },
  });
  const { response, status } = operation;
  const { description, content } = success(response, schemas, example);
  return {
    ...responseWith(status, description, content),
    ...also(response, schemas, responseWith),
    ...refusals(operation, schemas),
    ...(refusesByPage(operation)
      ? responseWith(403, 'A page that states that the link does not open. code: link_refused.', PAGE)
      : {}),
  };
}

/** Returns the responses with a further status that the operation can send, for example 202 for work in progress. */
function also(
  response: Operation['response'],
  schemas: ComponentSchemas,
  responseWith: (status: number, description: string, content?: Json) => Record<string, Json>,
): Record<string, Json> {
  if (!response || !('media' in response)) return {};
  if (response.media === 'browser') return responseWith(302, 'Elsewhere.');
  if (response.media !== 'or_accepted') return {};
  return response.isDone
    ? responseWith(202, 'The work is in progress.', json(schemas.write(response.schema)))
    : responseWith(202, 'The work is in progress. There is no body.');
}

/** Binary content. For an empty schema, client generators would generate an empty object. */
const FILE = { schema: { type: 'string', format: 'binary' } };

function success(
  response: Operation['response'],
  schemas: ComponentSchemas,
  example: unknown,
): { description: string; content?: Json | undefined } {
  const description = 'Success.';
  if (!response) return { description: 'Success. There is no body.' };
  if (!('media' in response)) return { description, content: json(schemas.write(response), example) };
  switch (response.media) {
    case 'or_accepted':
      return { description, content: json(schemas.write(response.schema), example) };
    case 'fhir':
      return { description, content: as('application/fhir+json', schemas.write(response.schema), example) };
    case 'or_file':
      return { description, content: { ...json(schemas.write(response.schema), example), [response.type]: FILE } };
    case 'ndjson':
      return { description, content: lines(schemas.write(response.item), example) };
    case 'pdf':
      return { description, content: { 'application/pdf': FILE } };
    case 'attachment':
      return { description: 'A file to save.', content: { '*/*': FILE } };
    case 'html':
      return { description, content: PAGE };
    case 'svg':
      return { description, content: { 'image/svg+xml': { schema: { type: 'string' } } } };
    case 'browser':
      return { description: 'A page for people.', content: PAGE };
    case 'cookie':
      return { description: 'Success. There is no body.' };
    case 'redirect':
      return { description: 'Elsewhere.' };
  }
}
