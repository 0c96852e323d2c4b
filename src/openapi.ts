import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { operations } from './operations.ts';
import { eventCatalogue } from './event-catalogue.ts';
import { eventTypes } from './event-types.ts';
import { BODIES, FIELDS, PARAMETERS, QUERIES } from './openapi-texts/examples.ts';
import { FIELD_DESCRIPTIONS } from './openapi-texts/field-descriptions.ts';
import { ANSWERS } from './openapi-texts/answers.ts';
import { TAGS } from './openapi-texts/tags.ts';
import { buildOpenApi } from './http/openapi/document.ts';
import { INTERFACE_VERSION, PACKAGE_ROOT, VERSION } from './package-root.ts';

/** Returns the text of openapi.json in the root folder. Its server is the URL from which a client loads it. */
export const openApiText = (): string => `${JSON.stringify(openApiDocument(), null, 2)}\n`;

/**
 * Returns the OpenAPI document of the service at `baseUrl`. If `baseUrl` is missing, its server is the URL from which a
 * client loads it.
 */
export function openApiDocument(baseUrl?: string): object {
  return buildOpenApi(operations, eventTypes, {
    words: FIELD_DESCRIPTIONS,
    tags: TAGS,
    examples: {
      bodies: BODIES,
      responses: { ...readAnswers(), ...ANSWERS },
      parameters: PARAMETERS,
      queries: QUERIES,
      fields: FIELDS,
      events: examplesOfEvents(),
    },
    version: VERSION,
    interfaceVersion: INTERFACE_VERSION,
    baseUrl,
  });
}

/** Answers that tests got, by operation. `npm run answers` writes the file. */
const readAnswers = (): Record<string, unknown> =>
  JSON.parse(readFileSync(join(PACKAGE_ROOT, 'docs', 'answers.json'), 'utf8')) as Record<string, unknown>;

const examplesOfEvents = (): Record<string, unknown> =>
  Object.fromEntries(eventCatalogue().data.map(({ name, example }) => [name, example]));
