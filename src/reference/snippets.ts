// Shows a request of an operation with curl and with the client for TypeScript. The values are the examples of the
// document, so that a reader can run what they see.
import { ownProperty } from '../wire/own-property.ts';
import { resolve, type Document, type Parameter, type Route } from './document.ts';

const JSON_TYPE = 'application/json';

/** The ways in which the examples prove who sends a request, by security scheme. */
const PROOFS: Readonly<Record<string, { header: string; option?: string }>> = {
  team_key: { header: 'x-service-api-key: $TEAM_API_KEY', option: "apiKey: process.env.PHIAL_API_KEY ?? ''" },
  management_key: {
    header: 'x-management-key: $MANAGEMENT_KEY',
    option: "managementKey: process.env.PHIAL_MANAGEMENT_KEY ?? ''",
  },
  user_token: { header: 'authorization: Bearer $USER_TOKEN', option: "accessToken: process.env.USER_TOKEN ?? ''" },
  access_token: {
    header: 'authorization: Bearer $ACCESS_TOKEN',
    option: "accessToken: process.env.ACCESS_TOKEN ?? ''",
  },
  link_token: { header: 'x-service-link-token: $LINK_TOKEN' },
};

export const parametersOf = ({ operation }: Route, document: Document): Parameter[] =>
  (operation.parameters ?? []).map((parameter) => resolve<Parameter>(document, parameter));

const exampleOf = ({ example, schema }: Parameter): unknown =>
  example ?? (schema['examples'] as unknown[] | undefined)?.[0];

/** The parameters that the examples send: all of the path, and those of the query that have an example. */
function sentParameters(route: Route, document: Document): Record<'path' | 'query', Record<string, unknown>> {
  const all = parametersOf(route, document);
  const named = (location: string, needed: boolean) =>
    Object.fromEntries(
      all
        .filter((each) => each.in === location && (needed || each.example !== undefined))
        .map((each) => [each.name, exampleOf(each)]),
    );
  return { path: named('path', true), query: named('query', false) };
}

const proofOf = ({ operation }: Route): { header: string; option?: string } | undefined =>
  (operation.security ?? [])
    .flatMap((each) => Object.keys(each))
    .flatMap((scheme) => ownProperty(PROOFS, scheme) ?? [])[0];

export function curlOf(route: Route, document: Document): string {
  const { path, query } = sentParameters(route, document);
  const filled = route.path.replaceAll(/\{(\w+)\}/g, (whole, name: string) =>
    path[name] === undefined ? whole : encodeURIComponent(String(path[name])),
  );
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    [value].flat().map((each): [string, string] => [name, String(each)]),
  );
  const search = pairs.length === 0 ? '' : `?${new URLSearchParams(pairs).toString()}`;
  const proof = proofOf(route);
  const [type, media] = Object.entries(route.operation.requestBody?.content ?? {})[0] ?? [];
  const body =
    type === undefined
      ? []
      : type === 'multipart/form-data'
        ? ["-F 'file=@report.pdf'"]
        : media?.example === undefined || typeof media.example === 'string'
          ? [`-H 'content-type: ${type}'`, '--data-binary @FILE']
          : [`-H 'content-type: ${type}'`, `-d '${JSON.stringify(media.example, null, 2).replaceAll("'", `'\\''`)}'`];
  return [
    `curl -X ${route.method} "$BASE_URL${filled}${search}"`,
    ...(proof ? [`-H "${proof.header}"`] : []),
    ...body,
  ].join(' \\\n  ');
}

/** Returns a program that uses the client, or null if the operation takes something else than JSON. */
export function clientOf(route: Route, document: Document): string | null {
  const { content } = route.operation.requestBody ?? {};
  if (content && !(JSON_TYPE in content)) return null;
  const proof = proofOf(route);
  const { path, query } = sentParameters(route, document);
  const params = {
    ...(Object.keys(path).length > 0 ? { path } : {}),
    ...(Object.keys(query).length > 0 ? { query } : {}),
  };
  const body = content?.[JSON_TYPE]?.example;
  const answers = resolve(document, route.operation.responses['200'] ?? { description: '' });
  const type = Object.keys(answers.content ?? {})[0];
  const isJson = type === undefined || /[/+]json$/.test(type);
  const parts = [
    ...(Object.keys(params).length > 0 ? [`  params: ${literal(params, '  ')},`] : []),
    ...(body === undefined ? [] : [`  body: ${literal(body, '  ')},`]),
    ...(proof?.option ? [] : proof ? ["  headers: { 'x-service-link-token': process.env.LINK_TOKEN ?? '' },"] : []),
    ...(isJson ? [] : [`  parseAs: '${type.startsWith('text/') ? 'text' : 'blob'}',`]),
  ];
  const option = proof?.option ?? "apiKey: ''";
  const call = `phial.${route.method}('${route.path}'${parts.length === 0 ? '' : `, {\n${parts.join('\n')}\n}`})`;
  return [
    `import { openPhial, unwrap } from '@phial/client';`,
    '',
    `const phial = openPhial({ baseUrl: process.env.BASE_URL ?? '', ${option} });`,
    `const answer = await unwrap(${call});`,
  ].join('\n');
}

/** Returns a value as TypeScript, in the form in which people write it. */
function literal(value: unknown, indent: string): string {
  if (typeof value === 'string')
    return `'${JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const inner = `${indent}  `;
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  const parts = Array.isArray(value)
    ? value.map((each) => literal(each, inner))
    : Object.entries(value).map(([name, each]) => `${keyOf(name)}: ${literal(each, inner)}`);
  const line = `${open} ${parts.join(', ')} ${close}`;
  if (parts.length === 0) return `${open}${close}`;
  if (line.length < 80 && !line.includes('\n')) return Array.isArray(value) ? `[${parts.join(', ')}]` : line;
  return `${open}\n${parts.map((part) => `${inner}${part},`).join('\n')}\n${indent}${close}`;
}

const keyOf = (name: string): string => (/^[A-Za-z_]\w*$/.test(name) ? name : `'${name.replaceAll("'", "\\'")}'`);
