import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { Surprise } from './surprise.ts';

/** Checks responses against the service's own OpenAPI document. A missing field is also an error. */
export type Contract = {
  /** `operation` has the form `POST /v2/user/{user_id}/insurance`. */
  checkAnswer: (operation: string, status: number, body: unknown) => void;
  checkEvent: (type: string, body: unknown) => void;
};

export function openContract(document: object): Contract {
  // The document contains formats for its readers. We check only the shapes.
  const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
  ajv.addSchema(document, 'openapi', undefined, false);
  const compiled = new Map<string, ValidateFunction | undefined>();
  const check = (what: string, path: string[], body: unknown): void => {
    const reference = `openapi#/${path.map(escape).join('/')}`;
    if (!compiled.has(reference)) compiled.set(reference, ajv.getSchema(reference));
    const validate = compiled.get(reference);
    if (!validate) throw new Surprise(`/openapi.json does not describe the schema of ${what}.`);
    if (validate(body)) return;
    const [first] = validate.errors ?? [];
    throw new Surprise(`${what} does not match /openapi.json: ${first?.instancePath || 'it'} ${first?.message}.`);
  };
  return {
    checkAnswer(operation, status, body) {
      if (status >= 400) return check(`the refusal of ${operation}`, ['components', 'schemas', 'Error'], body);
      const [method = '', path = ''] = operation.split(' ');
      const response = ['paths', path, method.toLowerCase(), 'responses', String(status)];
      if (body === undefined) return;
      check(`the answer of ${operation}`, [...response, 'content', 'application/json', 'schema'], body);
    },
    checkEvent(type, body) {
      check(
        `the event ${type}`,
        ['webhooks', type, 'post', 'requestBody', 'content', 'application/json', 'schema'],
        body,
      );
    },
  };
}

/** Escapes a name for a JSON pointer in a URI. */
const escape = (name: string): string => encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'));
