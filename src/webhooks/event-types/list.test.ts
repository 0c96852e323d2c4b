import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../test/app.ts';
import { problemsOf } from '../../../test/shapes.ts';
import { eventTypes } from '../../event-types.ts';
import type { EventTypeDescription } from './schemas.ts';

type List = { data: EventTypeDescription[] };

/** Those that schemas name; strict mode fails on any other. */
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

/** Places of texts for which the maker of examples knows no value and writes `text`. Of notes the unit is that word itself. */
const withoutValue = (value: unknown, place = ''): string[] => {
  if (value === 'text' && !place.endsWith('.unit')) return [place.slice(1)];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, each]) => withoutValue(each, `${place}.${name}`));
};

describe('the catalogue of events', () => {
  test('has every type that the service tells of', () => {
    expect(all.map(({ name }) => name)).toEqual(eventTypes.map(({ name }) => name));
    expect(all.filter(({ operational }) => operational).map(({ name }) => name)).toEqual(
      eventTypes.filter(({ operational }) => operational).map(({ name }) => name),
    );
    expect(all.filter(({ summary }) => summary === '')).toEqual([]);
  });

  test('is asked for by name, by a beginning, and several at once; what is unknown matches nothing', async () => {
    expect(await named('event_type=labtest.result.critical')).toEqual(['labtest.result.critical']);
    const both = await named('event_type=labtest.order.*,endpoint.*');
    expect(both).toEqual(all.map(({ name }) => name).filter((name) => /^(labtest\.order|endpoint)\./.test(name)));
    expect(both).toEqual(expect.arrayContaining(['labtest.order.created', 'endpoint.disabled']));
    expect(await named('event_type=unknown')).toEqual([]);
  });

  test('says in each schema all that it says: it refers to nothing', () => {
    for (const { name, schema } of all) {
      expect([name, schema['$schema']]).toEqual([name, 'https://json-schema.org/draft/2020-12/schema']);
      expect(JSON.stringify(schema)).not.toContain('$ref');
    }
  });

  test('has an example of each that its schema allows, as does the shape by which it is written', () => {
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

  test('invents whom its examples name', () => {
    const texts = JSON.stringify(all.map(({ example }) => example));
    expect(texts.match(/[\w.]+@[\w.]+/g)?.filter((mail) => !mail.endsWith('@example.com')) ?? []).toEqual([]);
    expect(texts.match(/\+1\d{10}/g)?.filter((number) => !/^\+160255501\d\d$/.test(number)) ?? []).toEqual([]);
    const unnamed = all.flatMap(({ name, example }) => withoutValue(example).map((place) => `${name}: ${place}`));
    expect(
      unnamed,
      'texts without an invented value: give each of these names one among the FIELDS of src/glossary/examples.ts, ' +
        'or among the EVENT_FIELDS of src/glossary/events.ts',
    ).toEqual([]);
  });
});
