// What an operation answers, by status.
import { refusesByPage } from '../answer/refusals.ts';
import type { Endpoint } from '../endpoint.ts';
import { headers, headersOf } from './headers.ts';
import { refusals } from './refusals.ts';
import type { ComponentSchemas, Json } from './schemas.ts';

const as = (type: string, schema: Json, example: unknown): Json => ({
  [type]: { schema, ...(example === undefined ? {} : { example }) },
});
/** A value a line; the schema and the example are those of one line. */
export const lines = (schema: Json, example?: unknown): Json => as('application/x-ndjson', schema, example);
export const json = (schema: Json, example?: unknown): Json => as('application/json', schema, example);

const PAGE: Json = { 'text/html': { schema: { type: 'string' } } };

/** @param example of the success, where its schema alone says too little */
export function answers(endpoint: Endpoint, schemas: ComponentSchemas, example?: unknown): Record<string, Json> {
  const answer = (status: number, description: string, content?: Json): Record<string, Json> => ({
    [status]: { description, ...headers(headersOf(endpoint, status)), ...(content ? { content } : {}) },
  });
  const { response, status } = endpoint;
  const { description, content } = success(response, schemas, example);
  return {
    ...answer(status, description, content),
    ...also(response, schemas, answer),
    ...refusals(endpoint, schemas),
    ...(refusesByPage(endpoint)
      ? answer(403, 'A page that says that the link does not open. code: link_refused.', PAGE)
      : {}),
  };
}

/** What an answer of a kind can be beside its success. */
function also(
  response: Endpoint['response'],
  schemas: ComponentSchemas,
  answer: (status: number, description: string, content?: Json) => Record<string, Json>,
): Record<string, Json> {
  if (!response || !('media' in response)) return {};
  if (response.media === 'browser') return answer(302, 'Elsewhere.');
  if (response.media !== 'or_accepted') return {};
  return response.isDone
    ? answer(202, 'It is under way.', json(schemas.write(response.schema)))
    : answer(202, 'It is under way. There is no body.');
}

/** What is no text: of a schema that says nothing, generators of clients make an empty object. */
const FILE = { schema: { type: 'string', format: 'binary' } };

function success(
  response: Endpoint['response'],
  schemas: ComponentSchemas,
  example: unknown,
): { description: string; content?: Json | undefined } {
  const description = 'Success.';
  if (!response) return { description: 'Success. There is no body.' };
  if (!('media' in response)) return { description, content: json(schemas.write(response), example) };
  switch (response.media) {
    case 'or_accepted':
      return { description, content: json(schemas.write(response.schema)) };
    case 'fhir':
      return { description, content: { 'application/fhir+json': { schema: schemas.write(response.schema) } } };
    case 'or_file':
      return { description, content: { ...json(schemas.write(response.schema)), [response.type]: FILE } };
    case 'ndjson':
      return { description, content: lines(schemas.write(response.item), example) };
    case 'pdf':
      return { description, content: { 'application/pdf': FILE } };
    case 'attachment':
      return { description: 'A file, to be saved.', content: { '*/*': FILE } };
    case 'html':
      return { description, content: PAGE };
    case 'svg':
      return { description, content: { 'image/svg+xml': { schema: { type: 'string' } } } };
    case 'browser':
      return { description: 'A page for people.', content: PAGE };
    case 'redirect':
      return { description: 'Elsewhere.' };
  }
}
