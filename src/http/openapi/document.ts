import { AUTH_KINDS } from '../auth/kinds.ts';
import type { TSchema } from 'typebox';
import { neededScope } from '../../tenancy/keys/key-scopes.ts';
import type { Operation } from '../../operation/operation.ts';
import type { BodyKind, Multipart } from '../../operation/media.ts';
import { takesIdempotencyKey } from '../response/declared-codes.ts';
import { json, lines, responsesOf } from './response-contents.ts';
import { ERROR_SCHEMAS, PARAMETERS, SECURITY_SCHEMES } from './components.ts';
import { eventBody, type DocumentedEvent } from './event-body.ts';
import { HEADERS } from './response-headers.ts';
import { RESPONSES } from './refusals.ts';
import { ComponentSchemas, rulesOf, type Json } from './schemas.ts';

type Values = Readonly<Record<string, unknown>>;

export type OpenApiOptions = {
  /** Descriptions by field name, for fields whose schema has no description. */
  words?: Readonly<Record<string, string>>;
  tags?: Readonly<Record<string, string>>;
  /**
   * Examples: a body for each operation that accepts JSON, a response body if the schema alone does not describe it
   * well, a value for each path parameter and each required query parameter, queries by operation, fields by name, and
   * events by type.
   */
  examples?: {
    bodies: Values;
    responses: Values;
    parameters: Values;
    queries: Readonly<Record<string, Values>>;
    fields: Values;
    events: Values;
  };
  version: string;
  interfaceVersion: string;
  /** The URL of the service. If it is missing, clients use the URL from which they loaded the document. */
  baseUrl?: string;
};

const INTRODUCTION = `Stores users, their insurance, their laboratory orders and the data of their wearables, and
publishes every step as a signed webhook.
# Authentication
The service API needs a team API key in \`x-service-api-key\`, or in any header of the form \`x-<word>-api-key\`
unless the deployment limits the headers that it reads. The management API has paths that begin with \`/v1/org\`. It
needs a management key in \`X-Management-Key\` and the plan scale. Scopes can limit a team API key: to reading, to
areas, or to reading areas. Each operation names the narrowest scope that allows it, and returns 403
\`insufficient_scope\` without that scope. A token from \`create_api_access_token\` replaces a team API key for one
hour, as \`Authorization: Bearer\`. A key belongs to one environment and region. For data that a user's phone sends
itself, use a token of that user as \`Authorization: Bearer\`. The header \`X-Service-Org-Key\` is deprecated: use
\`X-Management-Key\`.
# Deprecated fields
A deprecated key of a body still works, and the response has the headers \`Deprecation\` and \`Link\`. In \`POST
/v3/order\`, use \`order_set.lab_test_ids\` instead of \`lab_test_id\`, and an insurance record of the user from
\`POST /v2/user/{user_id}/insurance\` instead of \`health_insurance\`. In the address of an appointment, use
\`second_line\` instead of \`unit\`. In \`POST /v2/link/provider/email/{provider}\`, use the provider in the path
instead of \`provider\`. Deprecated keys of responses are marked in this document only, not in headers.
# Errors
Every refusal has the same shape: \`code\` is for programs, \`request_id\` identifies the line in the log, and
\`detail\` is a text for a person, with five exceptions. It is a list of every problem in a 422 and in the 400
\`pre_flight_failed\`. It is an object in the 400 \`client_user_id_conflict\` (the user that already exists), the 409
\`integration_team_id_conflict\` (the team) and the 409 \`integration_member_id_conflict\` (the member). Each
operation lists every code that it can return. A path that does not accept a method returns 405
(\`MethodNotAllowed\` of the shared responses), and \`Allow\` lists the methods that it accepts.
# Headers of responses
Each response lists its headers. If it lists no \`Cache-Control\`, it has \`Cache-Control: no-store\`. A response of 1
KiB or more is compressed for a client that accepts gzip (\`Accept-Encoding\`), and has \`Vary\`. A response that shows
a key, a token or a link is not compressed.
# Repeating a request
Every POST that creates something accepts an \`X-Idempotency-Key\`. If the same request is sent again within a day, it
gets the first response and does nothing twice. A response that shows a key, a token or a link is repeated for five
minutes only. After that the request is refused with 409 \`idempotency_answer_ended\`. An operation without this
header does not need it: a repeated request changes nothing more.
# Values
Timestamps are UTC with milliseconds. Enumerations may grow, so accept unknown values. Unknown keys in a body are
ignored. A list in a query has a repeated name, or commas.`;

/**
 * Builds the OpenAPI 3.1 document of the service. It uses the same operation objects from which the routes are made.
 */
export function buildOpenApi(operations: Operation[], eventTypes: DocumentedEvent[], options: OpenApiOptions): Json {
  const schemas = new ComponentSchemas(options.words ?? {}, options.examples?.fields);
  const paths: Record<string, Json> = {};
  for (const declared of operations) {
    (paths[declared.path] ??= {})[declared.method.toLowerCase()] = operation(declared, schemas, options.examples);
  }
  const webhooks = Object.fromEntries(
    eventTypes.map((type) => [type.name, { post: delivery(type, schemas, options.examples?.events[type.name]) }]),
  );
  const order = Object.keys(options.tags ?? {});
  const tags = [...new Set([...operations.map(({ tag }) => tag), 'events'])].toSorted(
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

function operation(declared: Operation, schemas: ComponentSchemas, examples: OpenApiOptions['examples']): Json {
  const { id, tag, summary, auth, deprecated, body } = declared;
  const parameters = [
    ...parametersOf('path', declared.params, schemas).map((each) => withExample(each, examples?.parameters)),
    ...parametersOf('query', declared.query, schemas).map((each) =>
      withExample(each, { ...(each['required'] ? examples?.parameters : {}), ...examples?.queries[id] }),
    ),
    ...(takesIdempotencyKey(declared) ? [parameter('IdempotencyKey'), parameter('IdempotencyError')] : []),
    ...(auth === 'management_key' ? [parameter('ServiceOrgKey')] : []),
  ];
  const description = describe(declared);
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(description === '' ? {} : { description }),
    ...(deprecated ? { deprecated: true } : {}),
    ...(declared.alias ? { 'x-internal': true } : {}),
    security: Object.keys(AUTH_KINDS[auth].securitySchemes)
      .filter((scheme) => !declared.operatorOnly || scheme === 'session')
      .map((scheme) => ({ [scheme]: scheme === 'team_key' ? scopesOf(declared) : [] })),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(body ? { requestBody: requestBody(body, schemas, examples?.bodies[id]) } : {}),
    responses: responsesOf(declared, schemas, examples?.responses[id]),
  };
}

/**
 * Returns the narrowest scope that a limited key needs for this operation. OpenAPI 3.1 allows such role names for every
 * security scheme.
 */
const scopesOf = ({ area, reads }: Operation): string[] => (area === null ? [] : [neededScope({ area, reads })]);

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

/** Describes a multipart form. Parts are files if their name is the value of `file`. All other parts are text. */
function form({ fields, file, maxFiles }: Multipart, schemas: ComponentSchemas): Json {
  const written = schemas.write(fields) as { properties?: Json; required?: string[] };
  const files: Json = {
    type: 'array',
    items: { type: 'string', contentMediaType: 'application/octet-stream' },
    minItems: 1,
    maxItems: maxFiles,
    description: `The files. Each is a part with the name ${file}.`,
  };
  const schema = {
    ...written,
    properties: { [file]: files, ...written.properties },
    required: [file, ...(written.required ?? [])],
  };
  return { 'multipart/form-data': { schema } };
}

function describe({ description, query, scope, operatorOnly, beta, deprecated }: Operation): string {
  return [
    description,
    ...(query ? rulesOf(query) : []),
    beta && 'A closed beta: in production, the operator enables it team by team.',
    operatorOnly && 'Only the session of the operator can call it: every key is refused.',
    scope === 'org' && !operatorOnly && 'Needs an Org Management Key.',
    deprecated &&
      'Deprecated since ' +
        `${deprecated.since}${deprecated.sunset ? `, may be removed after ${deprecated.sunset}` : ''}: use ` +
        `${deprecated.successor}.`,
  ]
    .filter(Boolean)
    .join(' ');
}

function parametersOf(location: 'path' | 'query', shape: Operation['params'], schemas: ComponentSchemas): Json[] {
  const required: string[] = shape?.required ?? [];
  return Object.entries(shape?.properties ?? {}).map(([name, member]) => {
    const { description, deprecated, ...schema } = schemas.writeField(name, member);
    return {
      name,
      in: location,
      ...(description === undefined ? {} : { description }),
      ...(deprecated === undefined ? {} : { deprecated }),
      ...(location === 'path' || required.includes(name) ? { required: true } : {}),
      ...(schema['type'] === 'array' ? { style: 'form', explode: true } : {}),
      schema,
    };
  });
}

const ENVELOPE_TEXT =
  'Sent by POST to each endpoint that subscribes to it, at least once and in no guaranteed order. Verify the ' +
  'signature, respond with 2xx within 15 seconds, and use webhook-id to recognise events that you have handled.';

function delivery(type: DocumentedEvent, schemas: ComponentSchemas, example: unknown): Json {
  return {
    operationId: `on_${type.name.replaceAll('.', '_')}`,
    tags: ['events'],
    summary: type.name,
    description: [
      type.summary,
      ENVELOPE_TEXT,
      type.operational && 'Only endpoints whose filter_types contain it receive it.',
    ]
      .filter(Boolean)
      .join(' '),
    security: [],
    parameters: [
      parameter('WebhookId'),
      parameter('WebhookTimestamp'),
      parameter('WebhookSignature'),
      ...(type.hasOrigin ? [parameter('Origin')] : []),
    ],
    requestBody: { required: true, content: json(eventBody(type, schemas), example) },
    responses: {
      '2XX': { description: 'Received.' },
      410: { description: 'Stop: we disable the endpoint.' },
      default: { description: 'Not received. We send it again after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h and 10 h.' },
    },
  };
}

const parameter = (name: keyof typeof PARAMETERS): Json => ({ $ref: `#/components/parameters/${name}` });
const withExample = (parameter: Json, examples: Values = {}): Json => {
  const example = examples[parameter['name'] as string];
  return example === undefined ? parameter : { ...parameter, example };
};
const titleOf = (tag: string): string => {
  const words = tag.replaceAll('_', ' ');
  return tag === 'ehr' ? 'EHR' : words.charAt(0).toUpperCase() + words.slice(1);
};
const admitsNull = (schema: TSchema): boolean =>
  [(schema as { type?: string | string[] }).type].flat().includes('null');

function merge(schemas: Record<string, Json>, fixed: Record<string, Json>): Record<string, Json> {
  for (const name of Object.keys(fixed)) {
    if (name in schemas) throw new Error(`The schema name ${name} is reserved for the documentation.`);
  }
  return { ...schemas, ...fixed };
}
