// The parts of an OpenAPI document that the pages show.

export type Schema = {
  $ref?: string;
  type?: string | string[];
  description?: string;
  deprecated?: boolean;
  properties?: Record<string, Schema>;
  additionalProperties?: boolean | Schema;
  patternProperties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
} & Record<string, unknown>;

type Media = { schema: Schema; example?: unknown };
type Reference = { $ref: string };
export type Parameter = {
  name: string;
  in: 'path' | 'query' | 'header';
  description?: string;
  required?: boolean;
  deprecated?: boolean;
  schema: Schema;
  example?: unknown;
};
export type Response = { description: string; headers?: Record<string, Reference>; content?: Record<string, Media> };
type DocumentedOperation = {
  operationId: string;
  tags: string[];
  summary: string;
  description?: string;
  deprecated?: boolean;
  'x-internal'?: boolean;
  security?: Record<string, string[]>[];
  parameters?: (Parameter | Reference)[];
  requestBody?: { required: boolean; content: Record<string, Media> };
  responses: Record<string, Response | Reference>;
};
export type Document = {
  info: { title: string; version: string; description: string };
  tags: { name: string; 'x-displayName': string; description?: string }[];
  paths: Record<string, Record<string, DocumentedOperation>>;
  webhooks: Record<string, { post: DocumentedOperation }>;
  components: {
    schemas: Record<string, Schema>;
    parameters: Record<string, Parameter>;
    headers: Record<string, { description: string }>;
    responses: Record<string, Response>;
    securitySchemes: Record<string, { type: string; in?: string; name?: string; description?: string }>;
  };
};

/** An operation with its method and path. */
export type Route = { method: string; path: string; operation: DocumentedOperation };

/** Returns the operations in the order of the document. An older path of the same operation has no page. */
export const routesOf = ({ paths }: Document): Route[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) =>
      operation['x-internal'] ? [] : [{ method: method.toUpperCase(), path, operation }],
    ),
  );

/** Returns what a reference names, and anything else as it is. */
export function resolve<T extends object>(document: Document, value: T | Reference): T {
  if (!('$ref' in value)) return value;
  const [kind = '', name = ''] = value.$ref.replace('#/components/', '').split('/');
  return (document.components as unknown as Record<string, Record<string, T>>)[kind]?.[name] as T;
}

export const nameOf = (ref: string): string => ref.slice(ref.lastIndexOf('/') + 1);
