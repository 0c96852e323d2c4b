import type { FastifyInstance } from 'fastify';
import { TransportError } from '../error-response.ts';
import { refuseOtherTypes } from './stream-body.ts';
import { refusalOfEncoding } from './json-body.ts';

/** A form of our pages has few fields, such as a name. A larger body is a 413. */
const MAX_BYTES = 8_192;
const MAX_FIELDS = 20;
const TYPE = 'application/x-www-form-urlencoded';

/**
 * Makes `server` accept the HTML forms of our pages, and parses a form into an object of texts. If a field is repeated,
 * its first value counts.
 */
export function takeWebForms(server: FastifyInstance): void {
  server.removeAllContentTypeParsers();
  refuseOtherTypes(server, `an HTML form: ${TYPE}`);
  server.addContentTypeParser(TYPE, { parseAs: 'string', bodyLimit: MAX_BYTES }, (request, body, done) => {
    const refusal = refusalOfEncoding(request.headers);
    if (refusal !== null) return done(new TransportError('unsupported_media_type', refusal));
    const fields = [...new URLSearchParams(body as string)].slice(0, MAX_FIELDS).toReversed();
    done(null, Object.fromEntries(fields));
  });
}
