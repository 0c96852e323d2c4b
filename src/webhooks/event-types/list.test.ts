import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { problemsOf } from '../../../test/shapes.ts';
import { eventTypes } from '../../event-types.ts';
import type { EventTypeDescription } from './schemas.ts';

type List = { data: EventTypeDescription[] };

/** The formats that the schemas of events use. The validator throws for any other format. */
const FORMATS = {
  'date-time': /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/,
  date: /^\d{4}-\d{2}-\d{2}$/,
  uuid: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
  email: /^\S+@\S+$/,
  uri: /^https?:\/\//,
};

let app: TestApp;
let all: EventTypeDescription[];
beforeAll(async () => {
  app = await startTestApp();
  all = (await app.api<List>('GET', '/v2/event_types')).body.data;
});
afterAll(() => app.close());

const named = async (asked: string): Promise<string[]> =>
  (await app.api<List>('GET', `/v2/event_types?${asked}`)).body.data.map(({ name }) => name);

/**
 * Returns the paths of the texts for which `exampleOf` has no value and writes `text`. It ignores `unit`, because the
 * unit of notes is really `text`.
 */
const withoutValue = (value: unknown, path = ''): string[] => {
  if (value === 'text' && !path.endsWith('.unit')) return [path.slice(1)];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, each]) => withoutValue(each, `${path}.${name}`));
};

describe('the catalogue of events', () => {
  test('has every type that the service publishes', () => {
    expect(all.map(({ name }) => name)).toEqual(eventTypes.map(({ name }) => name));
    expect(all.filter(({ operational }) => operational).map(({ name }) => name)).toEqual(
      eventTypes.filter(({ operational }) => operational).map(({ name }) => name),
    );
    expect(all.filter(({ summary }) => summary === '')).toEqual([]);
  });

  test('is filtered by names and prefixes, and an unknown one matches nothing', async () => {
    expect(await named('event_type=labtest.result.critical')).toEqual(['labtest.result.critical']);
    const both = await named('event_type=labtest.order.*,endpoint.*');
    expect(both).toEqual(all.map(({ name }) => name).filter((name) => /^(labtest\.order|endpoint)\./.test(name)));
    expect(both).toEqual(expect.arrayContaining(['labtest.order.created', 'endpoint.disabled']));
    expect(await named('event_type=unknown')).toEqual([]);
  });

  test('has schemas without external references', () => {
    for (const { name, schema } of all) {
      expect([name, schema['$schema']]).toEqual([name, 'https://json-schema.org/draft/2020-12/schema']);
      expect(JSON.stringify(schema)).not.toContain('$ref');
    }
  });

  test('has an example of each type that matches its schema, and the schema of the writer', () => {
    const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, strictRequired: false, allErrors: true });
    for (const [name, pattern] of Object.entries(FORMATS)) ajv.addFormat(name, pattern);
    for (const { name, schema, example } of all) {
      const check = ajv.compile(schema);
      check(example);
      expect([name, check.errors ?? []]).toEqual([name, []]);
      const type = eventTypes.find((each) => each.name === name);
      expect([name, problemsOf(type?.data as never, example['data'])]).toEqual([name, []]);
    }
  });

  test('has invented persons in its examples', () => {
    const texts = JSON.stringify(all.map(({ example }) => example));
    expect(texts.match(/[\w.]+@[\w.]+/g)?.filter((mail) => !mail.endsWith('@example.com')) ?? []).toEqual([]);
    expect(texts.match(/\+1\d{10}/g)?.filter((number) => !/^\+160255501\d\d$/.test(number)) ?? []).toEqual([]);
    const unnamed = all.flatMap(({ name, example }) => withoutValue(example).map((path) => `${name}: ${path}`));
    expect(
      unnamed,
      'texts without an invented value: give each of these names one among the FIELDS of ' +
        'src/openapi-texts/examples.ts, or among the EVENT_FIELDS of src/openapi-texts/events.ts',
    ).toEqual([]);
  });
});
