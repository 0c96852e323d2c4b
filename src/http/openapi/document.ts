import { AUTH_KINDS } from '../auth/kinds.ts';
import type { TSchema } from 'typebox';
import { neededScope } from '../../tenancy/keys/scopes.ts';
import type { Endpoint } from '../endpoint.ts';
import type { BodyKind, Multipart } from '../media.ts';
import { takesIdempotencyKey } from '../answer/refusals.ts';
import { answers, json, lines } from './answers.ts';
import { ERROR_SCHEMAS, PARAMETERS, SECURITY_SCHEMES } from './components.ts';
import { eventBody, type DocumentedEvent } from './event-body.ts';
import { HEADERS } from './headers.ts';
import { RESPONSES } from './refusals.ts';
import { ComponentSchemas, rulesOf, type Json } from './schemas.ts';

type Values = Readonly<Record<string, unknown>>;

export type OpenApiOptions = {
  /** Modules whose exported schemas become components under their own names. */
  schemas: Record<string, unknown>[];
  /** What a field means by its name, where its schema does not say. */
  words?: Readonly<Record<string, string>>;
  /** What the operations of each tag are about. */
  tags?: Readonly<Record<string, string>>;
  /** A body for each operation that takes JSON, an answer where its shape says too little, a value for each parameter of a path and each that a query needs, queries by operation, fields by name, events by type. */
  examples?: {
    bodies: Values;
    answers: Values;
    parameters: Values;
    queries: Readonly<Record<string, Values>>;
    fields: Values;
    events: Values;
  };
  version: string;
  interfaceVersion: string;
  /** Address of the service; left out: wherever the document was loaded from. */
  baseUrl?: string;
};

const INTRODUCTION = `Stores users, their insurance, their laboratory orders and the data of their wearables, and tells of every step by signed webhooks.

# Authentication
The service API takes a team API key in \`x-service-api-key\`, or in any header of the form \`x-<word>-api-key\` where the deployment does
not name those that it reads. The management API, whose paths begin with \`/v1/org\`, takes a management key
in \`X-Management-Key\` and needs the plan scale. A team API key can be limited by scopes: to reading, to areas, or to the reading of
areas. Each operation names the narrowest scope that opens it, and without it answers 403 \`insufficient_scope\`. In place of a team API key a token of \`create_api_access_token\` is taken, as
\`Authorization: Bearer\`, for an hour. A key belongs to one environment and region. What a user's phone sends by itself
takes a token of that user instead, as \`Authorization: Bearer\`. The header \`X-Service-Org-Key\` is deprecated: \`X-Management-Key\` has
replaced it.

# Deprecated fields
A key of a body that is deprecated keeps working, and its answer bears \`Deprecation\` and \`Link\` headers. In \`POST /v3/order\`, \`order_set.lab_test_ids\`
takes the place of \`lab_test_id\`, and an insurance record of the user, made by \`POST /v2/user/{user_id}/insurance\`, that of
\`health_insurance\`. In the address of an appointment \`second_line\` takes the place of \`unit\`. In \`POST /v2/link/provider/email/{provider}\` the
provider stands in the path, not in \`provider\`. Deprecated keys of answers
are marked in this document alone: no header tells of them.

# Errors
Every refusal has the same shape: \`code\` is for a program, \`request_id\` finds the log line, and \`detail\` is a text for a person, with
five exceptions: a list of every problem in a 422 and in the 400 \`pre_flight_failed\`, and an object in the 400 \`client_user_id_conflict\` (the user that exists already),
the 409 \`integration_team_id_conflict\` (the team) and the 409 \`integration_member_id_conflict\` (the member). Each operation lists every code it can answer with; a path that does not take a method answers 405 (\`MethodNotAllowed\` of the shared responses), whose
\`Allow\` names those that it takes.

# Headers of answers
Each answer lists the headers that are told of it. Beside them stands \`Cache-Control: no-store\`, where no other is listed.

An answer of 1 KiB and more is compressed for a client that takes gzip (\`Accept-Encoding\`), and bears \`Vary\`; one that shows a key, a token
or a link is not.

# Repeating a request
Every POST that makes something takes an \`X-Idempotency-Key\`: sent again within a day, the request answers as it did at first and does nothing twice; an answer that shows a key, a token or a link is repeated for five minutes only, and refused after them by 409 \`idempotency_answer_ended\`. An operation that lists no such header needs none: what is sent twice there changes nothing more.

# Values
Timestamps are UTC with milliseconds. Lists of words may grow: take an unknown one as such. Unknown keys in a body are ignored. In a query,
a list is given by repeating its name or by commas.`;

/** The whole service as an OpenAPI 3.1 document, made of the same objects that the routes are made of. */
export function buildOpenApi(endpoints: Endpoint[], eventTypes: DocumentedEvent[], options: OpenApiOptions): Json {
  const schemas = new ComponentSchemas(options.schemas, options.words ?? {}, options.examples?.fields);
  const paths: Record<string, Json> = {};
  for (const endpoint of endpoints) {
    (paths[endpoint.path] ??= {})[endpoint.method.toLowerCase()] = operation(endpoint, schemas, options.examples);
  }
  const webhooks = Object.fromEntries(
    eventTypes.map((type) => [type.name, { post: delivery(type, schemas, options.examples?.events[type.name]) }]),
  );
  const order = Object.keys(options.tags ?? {});
  const tags = [...new Set([...endpoints.map(({ tag }) => tag), 'events'])].toSorted(
    (a, b) => order.indexOf(a) - order.indexOf(b),
  );
  return {
    openapi: '3.1.0',
    info: {
      title: 'Phial',
      version: options.version,
      'x-interface-version': options.interfaceVersion,
      description: INTRODUCTION,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: options.baseUrl ?? '/' }],
    tags: tags.map((name) => ({
      name,
      'x-displayName': titleOf(name),
      ...(options.tags?.[name] === undefined ? {} : { description: options.tags[name] }),
    })),
    paths,
    webhooks,
    components: {
      securitySchemes: SECURITY_SCHEMES,
      parameters: PARAMETERS,
      headers: HEADERS,
      responses: RESPONSES,
      schemas: merge(schemas.written(), ERROR_SCHEMAS),
    },
  };
}

function operation(endpoint: Endpoint, schemas: ComponentSchemas, examples: OpenApiOptions['examples']): Json {
  const { id, tag, summary, auth, deprecated, body } = endpoint;
  const parameters = [
    ...parametersOf('path', endpoint.params, schemas).map((each) => withExample(each, examples?.parameters)),
    ...parametersOf('query', endpoint.query, schemas).map((each) =>
      withExample(each, { ...(each['required'] ? examples?.parameters : {}), ...examples?.queries[id] }),
    ),
    ...(takesIdempotencyKey(endpoint) ? [parameter('IdempotencyKey'), parameter('IdempotencyError')] : []),
    ...(auth === 'management_key' ? [parameter('ServiceOrgKey')] : []),
  ];
  const description = describe(endpoint);
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(description === '' ? {} : { description }),
    ...(deprecated ? { deprecated: true } : {}),
    ...(endpoint.alias ? { 'x-internal': true, 'x-scalar-ignore': true } : {}),
    security: Object.keys(AUTH_KINDS[auth].securitySchemes).map((scheme) => ({
      [scheme]: scheme === 'team_key' ? scopesOf(endpoint) : [],
    })),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(body ? { requestBody: requestBody(body, schemas, examples?.bodies[id]) } : {}),
    responses: answers(endpoint, schemas, examples?.answers[id]),
  };
}

/** The narrowest scope that a limited key needs; OpenAPI 3.1 takes such words of every scheme. */
const scopesOf = ({ area, reads }: Endpoint): string[] => (area === null ? [] : [neededScope({ area, reads })]);

function requestBody(body: BodyKind, schemas: ComponentSchemas, example: unknown): Json {
  if (!('media' in body)) return { required: !admitsNull(body), content: json(schemas.write(body), example) };
  if (body.media === 'ndjson') return { required: true, content: lines(schemas.write(body.item)) };
  if (body.media === 'batch')
    return {
      required: true,
      content: { ...json(schemas.write(body.list), example), ...lines(schemas.write(body.item)) },
    };
  if (body.media === 'web_form')
    return { required: true, content: { 'application/x-www-form-urlencoded': { schema: schemas.write(body.fields) } } };
  if (body.media === 'multipart') return { required: true, content: form(body, schemas) };
  return {
    required: true,
    content: Object.fromEntries(
      body.types.map((type) => [type, { schema: {}, ...(example === undefined ? {} : { example }) }]),
    ),
  };
}

/** A part named as the files is a file; the other members are parts of text. */
function form({ fields, file, maxFiles }: Multipart, schemas: ComponentSchemas): Json {
  const written = schemas.write(fields) as { properties?: Json; required?: string[] };
  const files: Json = {
    type: 'array',
    items: { type: 'string', contentMediaType: 'application/octet-stream' },
    minItems: 1,
    maxItems: maxFiles,
    description: `The files, each as a part named ${file}.`,
  };
  const schema = {
    ...written,
    properties: { [file]: files, ...written.properties },
    required: [file, ...(written.required ?? [])],
  };
  return { 'multipart/form-data': { schema } };
}

function describe({ description, query, scope, closedBeta, deprecated }: Endpoint): string {
  return [
    description,
    ...(query ? rulesOf(query) : []),
    closedBeta && 'A closed beta: in production it is opened team by team.',
    scope === 'org' && 'Needs an Org Management Key.',
    deprecated &&
      `Deprecated since ${deprecated.since}${deprecated.sunset ? `, may be gone from ${deprecated.sunset}` : ''}: use ${deprecated.successor}.`,
  ]
    .filter(Boolean)
    .join(' ');
}

function parametersOf(place: 'path' | 'query', shape: Endpoint['params'], schemas: ComponentSchemas): Json[] {
  const required: string[] = shape?.required ?? [];
  return Object.entries(shape?.properties ?? {}).map(([name, member]) => {
    const { description, deprecated, ...schema } = schemas.writeField(name, member);
    return {
      name,
      in: place,
      ...(description === undefined ? {} : { description }),
      ...(deprecated === undefined ? {} : { deprecated }),
      ...(place === 'path' || required.includes(name) ? { required: true } : {}),
      ...(schema['type'] === 'array' ? { style: 'form', explode: true } : {}),
      schema,
    };
  });
}

export const ENVELOPE_TEXT =
  'Sent by POST to each endpoint that wants it, at least once and in no promised order. Verify the signature, ' +
  'answer 2xx within 15 seconds, and keep what you have handled by webhook-id.';

function delivery(type: DocumentedEvent, schemas: ComponentSchemas, example: unknown): Json {
  return {
    operationId: `on_${type.name.replaceAll('.', '_')}`,
    tags: ['events'],
    summary: type.name,
    description: [type.summary, ENVELOPE_TEXT, type.operational && 'Only endpoints whose filter_types name it get it.']
      .filter(Boolean)
      .join(' '),
    security: [],
    parameters: [
      parameter('WebhookId'),
      parameter('WebhookTimestamp'),
      parameter('WebhookSignature'),
      ...(type.bearsOrigin ? [parameter('Origin')] : []),
    ],
    requestBody: { required: true, content: json(eventBody(type, schemas), example) },
    responses: {
      '2XX': { description: 'Received.' },
      410: { description: 'No more: the endpoint is disabled.' },
      default: { description: 'Not received. It is sent again after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h and 10 h.' },
    },
  };
}

const parameter = (name: keyof typeof PARAMETERS): Json => ({ $ref: `#/components/parameters/${name}` });
const withExample = (parameter: Json, examples: Values = {}): Json => {
  const example = examples[parameter['name'] as string];
  return example === undefined ? parameter : { ...parameter, example };
};
/** A tag as people read it. */
const titleOf = (tag: string): string => {
  const words = tag.replaceAll('_', ' ');
  return tag === 'ehr' ? 'EHR' : words.charAt(0).toUpperCase() + words.slice(1);
};
const admitsNull = (schema: TSchema): boolean =>
  [(schema as { type?: string | string[] }).type].flat().includes('null');

function merge(schemas: Record<string, Json>, fixed: Record<string, Json>): Record<string, Json> {
  for (const name of Object.keys(fixed)) {
    if (name in schemas) throw new Error(`The schema name ${name} is the documentation's own.`);
  }
  return { ...schemas, ...fixed };
}
