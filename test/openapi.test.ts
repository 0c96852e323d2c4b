import { validate } from '@scalar/openapi-parser';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addAjvFormats from 'ajv-formats';
import { readdirSync, readFileSync } from 'node:fs';
import { Type, type TSchema } from 'typebox';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { operations } from '../src/operations.ts';
import { eventTypes } from '../src/event-types.ts';
import { statusOf } from '../src/http/error-response.ts';
import { declaredCodes } from '../src/http/response/declared-codes.ts';
import { FIELD_DESCRIPTIONS, PARTS } from '../src/openapi-texts/field-descriptions.ts';
import { buildOpenApi } from '../src/http/openapi/document.ts';
import { headersOf } from '../src/http/openapi/response-headers.ts';
import { named, shape } from '../src/wire/shape.ts';
import { ComponentSchemas } from '../src/http/openapi/schemas.ts';
import { openApiText } from '../src/openapi.ts';
import { nullable, oneOf } from '../src/wire/schema.ts';
import { startTestApp, type TestApp } from './test-app.ts';

type Answer = {
  $ref?: string;
  headers?: Record<string, { $ref: string }>;
  content?: Record<string, { schema: object }>;
};
type Operation = {
  operationId: string;
  summary: string;
  tags: string[];
  deprecated?: boolean;
  description?: string;
  security: object[];
  parameters?: { $ref?: string; name?: string; in?: string; required?: boolean; schema?: object }[];
  requestBody?: { required: boolean; content: Record<string, { schema: object }> };
  responses: Record<string, Answer>;
};
type Document = {
  info: Record<string, string>;
  servers: { url: string }[];
  tags: { name: string; description?: string }[];
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, { post: Operation }>;
  components: {
    schemas: Record<string, { properties?: Record<string, object>; enum?: string[] }>;
    responses: Record<string, Answer>;
    parameters: Record<string, { name: string; in: string; deprecated?: boolean }>;
    headers: Record<string, { description: string; required?: boolean }>;
  };
};

const text = openApiText();
const document = JSON.parse(text) as Document;
const packageVersion = (JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }).version;
const operation = (method: string, path: string): Operation => document.paths[path]?.[method] as Operation;

describe('the document', () => {
  test('matches openapi.json at the root (UPDATE=1 writes it)', async () => {
    if (process.env['UPDATE']) {
      const { writeFileSync } = await import('node:fs');
      writeFileSync('openapi.json', text);
    }
    expect(
      readFileSync('openapi.json', 'utf8') === text,
      'openapi.json is stale: run UPDATE=1 npx vitest run test/openapi.test.ts',
    ).toBe(true);
  });

  test('is valid OpenAPI 3.1', async () => {
    const { valid, errors, version } = await validate(text);
    expect({ valid, errors: errors ?? [], version }).toEqual({ valid: true, errors: [], version: '3.1' });
  });

  test('holds only schemas whose every keyword and format JSON Schema knows, and no broken reference', () => {
    // Each component is compiled once, and the generated code is not optimised, because it never runs.
    const quick = { inlineRefs: false, code: { optimize: false } };
    const ajv = new Ajv2020({ strict: true, strictTypes: false, allowUnionTypes: true, ...quick });
    (addAjvFormats as unknown as { default: (target: Ajv2020) => void }).default(ajv);
    const known = (schema: object): object =>
      JSON.parse(JSON.stringify(schema).replaceAll('#/components/schemas/', 'https://example.com/')) as object;
    for (const [name, schema] of Object.entries(document.components.schemas))
      ajv.addSchema({ $id: `https://example.com/${name}`, ...known(schema) });
    const bodies = Object.values(document.paths)
      .flatMap((path) => Object.values(path))
      .concat(Object.values(document.webhooks).map(({ post }) => post))
      .flatMap(({ requestBody, responses, parameters = [] }) => [
        ...Object.values(requestBody?.content ?? {}).map(({ schema }) => schema),
        ...Object.values(responses).flatMap(({ content = {} }) => Object.values(content).map(({ schema }) => schema)),
        ...parameters.flatMap(({ schema }) => schema ?? []),
      ]);
    expect(bodies.length).toBeGreaterThan(100);
    const names = Object.keys(document.components.schemas).map((name) => ({ $ref: `#/components/schemas/${name}` }));
    const different = new Map([...bodies, ...names].map((schema) => [JSON.stringify(schema), schema]));
    const broken = [...different.values()].flatMap((schema) => {
      try {
        ajv.compile(known(schema));
        return [];
      } catch (error) {
        return [{ schema, reason: (error as Error).message }];
      }
    });
    expect(broken).toEqual([]);
  });

  test('declares the items of every list', () => {
    const within = (node: unknown, pointer: string): string[] => {
      if (typeof node !== 'object' || node === null) return [];
      const { type } = node as { type?: unknown };
      const bare = [type].flat().includes('array') && !('items' in node) ? [pointer] : [];
      return [...bare, ...Object.entries(node).flatMap(([key, value]) => within(value, `${pointer}/${key}`))];
    };
    expect(within(document, '')).toEqual([]);
  });

  test('has no text in which a part is missing', () => {
    expect(JSON.stringify(document)).not.toContain('undefined');
  });

  test('shows every operation with its summary, and nothing else', () => {
    const shown = Object.entries(document.paths).flatMap(([path, operations]) =>
      Object.entries(operations).map(([method, { operationId, summary }]) => [
        operationId,
        method.toUpperCase(),
        path,
        summary,
      ]),
    );
    const declared = operations.map(({ id, method, path, summary }) => [id, method, path, summary]);
    expect(shown.toSorted()).toEqual(declared.toSorted());
  });

  test('describes every tag', () => {
    expect(document.tags.filter(({ description }) => !description)).toEqual([]);
  });

  test('says in its introduction and in its schemas that `detail` is a text, a list or an object', () => {
    expect(document.info['description']).toMatch(/`detail` is a text[^]*a list of every problem in a 422[^]*an object/);
    const { Error: other, InvalidRequest } = document.components.schemas;
    expect(other?.properties?.['detail']).toMatchObject({
      type: ['string', 'object', 'array'],
      description: expect.stringContaining('InvalidRequest'),
    });
    expect(InvalidRequest?.properties?.['detail']).toMatchObject({ type: 'array' });
    const otherThanText = ['pre_flight', 'client_user_id', 'integration_team_id', 'integration_member_id'];
    for (const text of [document.info['description'] as string, readFileSync('docs/guides/handle-errors.md', 'utf8')]) {
      expect(text).toContain('five exceptions');
      for (const word of otherThanText) expect(text).toMatch(new RegExp(`\`${word}_(failed|conflict)\``));
    }
  });

  test('gives fields of people, addresses, ids and times a valid example each', () => {
    const ajv = addAjvFormats.default(new Ajv2020({ strict: false }));
    let given = 0;
    for (const { properties = {} } of Object.values(document.components.schemas)) {
      for (const [name, field] of Object.entries(properties) as [string, { examples?: unknown[] }][]) {
        for (const example of field.examples ?? []) {
          if (JSON.stringify(field).includes('$ref')) continue;
          expect([name, ajv.validate(field, example)]).toEqual([name, true]);
          given += 1;
        }
      }
    }
    expect(given).toBeGreaterThan(50);
    expect(document.components.schemas['Insurance']?.properties?.['relationship']).toMatchObject({
      examples: ['Self'],
    });
  });

  test('names both versions', () => {
    expect(document.info).toMatchObject({ version: packageVersion, 'x-interface-version': '0.4.602' });
  });

  test('shows every event with its envelope and its signature headers', () => {
    expect(Object.keys(document.webhooks)).toEqual(eventTypes.map(({ name }) => name));
    const { post } = document.webhooks['labtest.order.updated'] as { post: Operation };
    expect(post.requestBody?.content['application/json']?.schema).toMatchObject({
      type: 'object',
      required: ['event_type', 'data', 'team_id', 'user_id', 'client_user_id'],
      properties: {
        event_type: { type: 'string', const: 'labtest.order.updated' },
        data: { $ref: '#/components/schemas/OrderInFull' },
        team_id: { type: 'string', format: 'uuid' },
        user_id: { type: 'string', format: 'uuid' },
        client_user_id: { type: 'string' },
      },
    });
    expect(post.parameters).toEqual(
      ['WebhookId', 'WebhookTimestamp', 'WebhookSignature'].map((name) => ({
        $ref: `#/components/parameters/${name}`,
      })),
    );
    expect(text).toMatch(/`v1a,` and the base64 Ed25519 signature/);
  });

  test('shows a delivery that was given up with an answer or an error, like real deliveries', () => {
    const { post } = document.webhooks['message.attempt.exhausted'] as { post: Operation };
    expect(post.requestBody?.content['application/json']).toMatchObject({
      example: { data: { last_status: 503, last_error: null } },
    });
  });
});

describe('an operation', () => {
  test.each([
    ['post', '/v1/org/{org_id}/team', 'IntegrationTeamIDConflictResponse'],
    ['patch', '/v1/org/{org_id}/team/{team_id}', 'IntegrationTeamIDConflictResponse'],
    ['post', '/v1/org/{org_id}/ehr_integration/member', 'IntegrationMemberIDConflictResponse'],
  ])('declares the detail of a conflict of references: %s %s', (method, path, shape) => {
    const { content } = operation(method, path).responses[409] as Answer;
    expect(content?.['application/json']?.schema).toMatchObject({
      anyOf: expect.arrayContaining([{ $ref: `#/components/schemas/${shape}` }]),
    });
  });

  test('names its parameters, key, body, answer and refusals', () => {
    expect(operation('post', '/v2/user/{user_id}/insurance')).toMatchObject({
      operationId: 'create_insurance',
      security: [{ team_key: ['insurance'] }, { access_token: [] }, { session: [] }],
      parameters: [
        { name: 'user_id', in: 'path', required: true, schema: { type: 'string', format: 'uuid' } },
        { $ref: '#/components/parameters/IdempotencyKey' },
        { $ref: '#/components/parameters/IdempotencyError' },
      ],
      requestBody: {
        required: true,
        content: { 'application/json': { schema: { $ref: '#/components/schemas/InsuranceInput' } } },
      },
      responses: {
        200: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Insurance' } } } },
        400: { description: expect.stringContaining('unknown_payor') },
        401: { $ref: '#/components/responses/UnauthorizedTeam' },
        404: { $ref: '#/components/responses/UserNotFound' },
        409: { $ref: '#/components/responses/Idempotency' },
        422: { $ref: '#/components/responses/InvalidRequest' },
        429: { $ref: '#/components/responses/TooManyRequests' },
      },
    });
  });

  test('has a description only if it says more than the summary', () => {
    const said = Object.values(document.paths).flatMap((methods) => Object.values(methods));
    const same = said.filter(({ summary, description }) => description?.replace(/\.$/, '') === summary);
    expect(same.map(({ operationId }) => operationId)).toEqual([]);
  });

  test('of the management API takes the other key and can answer 403', () => {
    const { security, responses } = operation('get', '/v1/org/{org_id}/team_api_keys/{env}/{region}');
    expect(security).toEqual([{ management_key: [] }, { session: [] }]);
    expect(responses).toHaveProperty('403');
    expect(operation('get', '/v2/user').responses).toMatchObject({
      403: { $ref: '#/components/responses/BeyondScope' },
    });
    expect(operation('get', '/healthz').responses).not.toHaveProperty('403');
  });

  test('lists under each status exactly the codes that it can answer with', () => {
    for (const registered of operations) {
      const { responses } = operation(registered.method.toLowerCase(), registered.path);
      const shown = Object.entries(responses).flatMap(([status, answer]) => {
        if (Number(status) < 400) return [];
        const name = answer.$ref?.split('/').at(-1);
        const text = JSON.stringify(name ? document.components.responses[name] : answer);
        if (answer.content?.['text/html']) return [`${status} ${/code: (\w+)\."/.exec(text)?.[1]}`];
        const [, codes] = /"enum":(\[[^\]]*\])/.exec(text) as unknown as [string, string];
        return (JSON.parse(codes) as string[]).map((code) => `${status} ${code}`);
      });
      const declared = [...declaredCodes(registered)].map((code) => `${statusOf(code)} ${code}`);
      expect([registered.id, shown.toSorted()]).toEqual([registered.id, declared.toSorted()]);
    }
  });

  test('with a body declares the possible problems of a body', () => {
    for (const { id, method, path, body, auth } of operations) {
      if (!body) continue;
      const { responses } = operation(method.toLowerCase(), path);
      expect([id, Object.keys(responses)]).toEqual([
        id,
        expect.arrayContaining(['408', '413', '414', '415', '422', ...(auth === 'none' ? [] : ['429'])]),
      ]);
    }
  });

  test('that is open to everybody declares no key', () => {
    expect(operation('get', '/healthz')).toMatchObject({ security: [], responses: { 200: {} } });
    expect(operation('get', '/healthz').responses).not.toHaveProperty('401');
  });

  test('that is deprecated says so and names its replacement', () => {
    expect(operation('get', '/v3/lab_tests')).toMatchObject({
      deprecated: true,
      description: expect.stringMatching(/Deprecated since 2025-06-01: use \/v3\/lab_test\.$/),
    });
  });

  test('takes lists by repeated names, and states the rule for two related parameters', () => {
    const lists = operation('get', '/v3/orders').parameters?.filter(({ name }) => name === 'order_ids');
    expect(lists).toMatchObject([{ style: 'form', explode: true, schema: { type: 'array' } }]);
    expect(operation('post', '/v2/user/undo_delete').description).toContain(
      'Exactly one of `user_id`, `client_user_id` is needed.',
    );
  });

  test('with an optional body says so', () => {
    expect(operation('post', '/v3/order/{order_id}/test').requestBody).toMatchObject({
      required: false,
      content: {
        'application/json': { schema: { anyOf: [{ $ref: '#/components/schemas/SimulationFlags' }, { type: 'null' }] } },
      },
    });
  });
});

describe('the headers of an answer', () => {
  const { responses: shared, headers } = document.components;
  const of = ({ responses }: Operation, status: number | string): string[] => {
    const answer = responses[status] as Answer;
    return Object.keys((answer.$ref ? shared[answer.$ref.split('/').at(-1) as string] : answer)?.headers ?? {});
  };

  test('are those that the tests look for in real answers, each described once', () => {
    for (const registered of operations) {
      const shown = operation(registered.method.toLowerCase(), registered.path);
      for (const status of Object.keys(shown.responses)) {
        const label = `${registered.id} ${status}`;
        expect([label, of(shown, status)]).toEqual([
          label,
          expect.arrayContaining(['X-Request-Id', ...headersOf(registered, Number(status))]),
        ]);
      }
    }
    const used = text.match(/"#\/components\/headers\/[\w-]+"/g) as string[];
    const names = Object.keys(headers).filter((name) => name !== 'Sunset');
    expect([...new Set(used)].toSorted()).toEqual(names.map((name) => `"#/components/headers/${name}"`).toSorted());
    expect(Object.values(headers).filter(({ description }) => !description)).toEqual([]);
  });

  test('say when to try again, which methods exist, and what is deprecated', () => {
    const users = operation('get', '/v2/user');
    expect([of(users, 429), of(users, 503)]).toEqual(Array(2).fill(expect.arrayContaining(['Retry-After'])));
    expect(of(users, 200)).toEqual(['X-Request-Id', 'RateLimit-Policy', 'RateLimit']);
    expect(shared['MethodNotAllowed']?.headers).toMatchObject({ Allow: { $ref: '#/components/headers/Allow' } });
    for (const [method, path] of [
      ['get', '/v3/lab_tests'],
      ['post', '/v3/order'],
      ['get', '/v1/org/{org_id}/team'],
    ] as const)
      for (const status of [200, 401, 422])
        expect(of(operation(method, path), status)).toEqual(expect.arrayContaining(['Deprecation', 'Link']));
  });

  test('that is deprecated in requests is a parameter of the operations that accept it', () => {
    expect(document.components.parameters['ServiceOrgKey']).toMatchObject({
      name: 'X-Service-Org-Key',
      in: 'header',
      deprecated: true,
    });
    const taking = operations.filter(({ method, path }) =>
      operation(method.toLowerCase(), path).parameters?.some(({ $ref }) => $ref?.endsWith('/ServiceOrgKey')),
    );
    expect(taking.map(({ id }) => id)).toEqual(
      operations.filter(({ auth }) => auth === 'management_key').map(({ id }) => id),
    );
  });
});

describe('a field', () => {
  type Shape = { [key: string]: unknown; properties?: Record<string, Shape>; description?: string };
  const fields: { name: string; pointer: string; schema: Shape }[] = [];
  const walk = (node: unknown, pointer: string): void => {
    if (typeof node !== 'object' || node === null) return;
    const { properties, parameters } = node as Shape & { parameters?: (Shape & { name?: string })[] };
    if (typeof properties === 'object')
      for (const [name, schema] of Object.entries(properties))
        fields.push({ name, pointer: `${pointer}/${name}`, schema });
    if (Array.isArray(parameters))
      for (const each of parameters)
        if (each.name) fields.push({ name: each.name, pointer: `${pointer}?${each.name}`, schema: each });
    for (const [key, value] of Object.entries(node)) walk(value, `${pointer}/${key}`);
  };
  walk({ paths: document.paths, webhooks: document.webhooks, schemas: document.components.schemas }, '');

  test('has a description in every schema', () => {
    expect(
      fields.filter(({ schema }) => !schema.description).map(({ pointer }) => pointer),
      'fields without a description: each name needs a line in src/openapi-texts, or its schema a description',
    ).toEqual([]);
    expect(fields.length).toBeGreaterThan(500);
  });

  test('has its own description, else that of its component, else that of its name', () => {
    const Role = named('Role', oneOf(['owner', 'guest'], { description: 'Of a person.' }));
    const Plain = named('Plain', oneOf(['red', 'blue']));
    const written = new ComponentSchemas({ role: 'Of a key.' });
    const descriptionOf = (schema: TSchema) => written.writeField('role', schema)['description'];
    expect([Role, nullable(Role), oneOf(['owner', 'guest'])].map(descriptionOf)).toEqual(Array(3).fill('Of a person.'));
    expect([Plain, nullable(Plain), Type.String()].map(descriptionOf)).toEqual(Array(3).fill('Of a key.'));
    expect(descriptionOf(Type.String({ description: 'Of nobody.' }))).toBe('Of nobody.');
  });

  test.each([
    ['Org(Member|Invite)', /\bkeys?\b/],
    ['EhrMember', /\bkeys?\b|insur/],
    ['/ehr_integration/', /insur/],
    ['data_pull_preferences', /response where none/],
    ['Unmatched|Compendium', /What the laboratory says to it|What the test measures|Name of the patient/],
    ['Compendium', /user's orders/],
    ['users/search|/schemas/(QueryPast|Org|Webhook|Grouped)', /continuous query|Unit of the result|type of the object/],
  ])('of %s does not repeat the description of its name', (where, foreign) => {
    const found = fields.filter(({ pointer }) => new RegExp(where).test(pointer));
    expect(found.length).toBeGreaterThan(5);
    const said = found.filter(({ schema }) => foreign.test(schema.description ?? ''));
    expect(said.map(({ pointer, schema }) => `${pointer}: ${schema.description}`)).toEqual([]);
  });

  test('has at most one entry by its name, because a second one would never be used', () => {
    const names = PARTS.flatMap((part) => Object.keys(part));
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });

  test('has no unused entry by its name', () => {
    const described = new Set(fields.map(({ name, schema }) => `${name}: ${schema.description}`));
    const unneeded = Object.entries(FIELD_DESCRIPTIONS).filter(
      ([name, words]) => ![...described].some((each) => each.startsWith(`${name}: ${words}`)),
    );
    expect(
      unneeded.map(([name]) => name),
      'unused lines of src/openapi-texts: no field has this name, or each has its own description',
    ).toEqual([]);
  });
});

describe('a named schema', () => {
  const { schemas } = document.components;

  test('is every object of an answer that a module gives a name', async () => {
    const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((file) =>
      /(^|\/)schemas\.ts$/.test(file),
    );
    const modules = await Promise.all(
      files.map((file) => import(/* @vite-ignore */ `../src/${file}`) as Promise<Record<string, unknown>>),
    );
    const names = new Map<unknown, string[]>();
    for (const [name, value] of modules.flatMap(Object.entries)) {
      const { properties } = (value ?? {}) as { properties?: object };
      if (properties) names.set(properties, [...(names.get(properties) ?? []), name]);
    }
    const answered = new Set<unknown>();
    const walk = (value: unknown): void => {
      if (typeof value !== 'object' || value === null || answered.has(value)) return;
      answered.add(value);
      for (const part of Object.values(value)) walk(part);
    };
    for (const { response } of operations) walk(response);
    const named = [...names].filter(([properties]) => answered.has(properties)).map(([, ofOne]) => ofOne);
    expect(named.length).toBeGreaterThan(100);
    expect(named.filter((ofOne) => !ofOne.some((name) => name in document.components.schemas))).toEqual([]);
  });

  test('is referenced everywhere, also where null is allowed', () => {
    expect(schemas['OrderAnswer']?.properties?.['order']).toMatchObject({ $ref: '#/components/schemas/Order' });
    expect(schemas['Insurance']?.properties?.['guarantor']).toMatchObject({
      anyOf: [{ $ref: '#/components/schemas/GuarantorDetails' }, { type: 'null' }],
    });
    expect(schemas['InsuranceInput']?.properties?.['guarantor']).toMatchObject({
      anyOf: [{ $ref: '#/components/schemas/GuarantorDetails' }, { type: 'null' }],
    });
  });

  test('states the rules of the domain in words', () => {
    expect(schemas['Address']).toMatchObject({
      description: 'In the United States `state` is a two-letter code and `zip` is 12345 or 12345-6789.',
    });
    expect(schemas['GuarantorDetails']?.properties?.['phone_number']).toMatchObject({
      type: 'string',
      description: expect.stringContaining('E.164'),
    });
  });

  test('has a name that no other schema has', () => {
    shape('Thing', { a: nullable(Type.String()) });
    expect(() => shape('Thing', { a: nullable(Type.String()) })).not.toThrow();
    expect(() => shape('Thing', { b: Type.String() })).toThrow('Two different schemas are called Thing.');
  });

  test('has only keywords that OpenAPI has words for', () => {
    const [operation] = operations as [(typeof operations)[number]];
    const response = Type.Object({ a: Type.String({ shiny: true }) });
    const build = () => buildOpenApi([{ ...operation, response }], [], { version: '1', interfaceVersion: '1' });
    expect(build).toThrow('OpenAPI has no equivalent yet for shiny');
  });
});

describe('the running service', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startTestApp({ PHIAL_BASE_URL: 'https://phial.example.com/api/' });
  });
  afterAll(() => app.close());

  test('serves the document without a key, with its own address', async () => {
    const response = await fetch(`${app.baseUrl}/openapi.json`);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
    expect(await response.json()).toEqual({ ...document, servers: [{ url: 'https://phial.example.com/api' }] });
  });

  test.each(['/openapi.json', '/docs', '/docs/page.css', '/docs/search.json', '/docs/guides/push-data'])(
    'compresses %s once, and answers 304 to a client that has it',
    async (path) => {
      const get = (headers: Record<string, string>, method = 'GET') => fetch(app.baseUrl + path, { headers, method });
      const plain = await get({ 'accept-encoding': 'identity' });
      const bytes = Buffer.from(await plain.arrayBuffer());
      expect([plain.headers.get('content-encoding'), plain.headers.get('vary')]).toEqual([null, 'accept-encoding']);
      expect(plain.headers.get('cache-control')).toMatch(/^public, /);
      for (const coding of ['br', 'gzip']) {
        const packed = await get({ 'accept-encoding': coding === 'br' ? 'gzip, deflate, br' : coding });
        expect(packed.headers.get('content-encoding')).toBe(coding);
        expect(Number(packed.headers.get('content-length'))).toBeLessThan(bytes.length / 2);
        expect(bytes.equals(Buffer.from(await packed.arrayBuffer()))).toBe(true);
        expect(packed.headers.get('etag')).toBe(plain.headers.get('etag'));
      }
      const etag = plain.headers.get('etag') as string;
      for (const known of [etag, `"other", ${etag.replace('W/', '')}`, '*']) {
        const again = await get({ 'if-none-match': known });
        expect([known, again.status, await again.text(), again.headers.get('etag')]).toEqual([known, 304, '', etag]);
      }
      expect((await get({ 'if-none-match': '"other"' }, 'HEAD')).status).toBe(200);
    },
  );

  test('serves the document without line breaks', async () => {
    const text = await (await fetch(`${app.baseUrl}/openapi.json`)).text();
    expect(text.length).toBeLessThan(readFileSync('openapi.json', 'utf8').length * 0.6);
    expect(text).not.toContain('\n');
  });

  test('answers 405 to a write request to a page', async () => {
    for (const path of ['/openapi.json', '/docs', '/docs/page.js', '/docs/search.json', '/metrics']) {
      const response = await fetch(app.baseUrl + path, { method: 'POST' });
      expect([path, response.status, response.headers.get('allow')]).toEqual([path, 405, 'GET, HEAD']);
      expect(await response.json()).toMatchObject({ code: 'method_not_allowed' });
    }
  });
});
