import type { FastifyInstance } from 'fastify';
import { TransportError } from '../errors.ts';
import { refuseOtherTypes } from './stream-body.ts';
import { refusalOfEncoding } from './json-body.ts';

/** A name and little else; more is 413. */
const MOST_BYTES = 8_192;
const MOST_FIELDS = 20;
const TYPE = 'application/x-www-form-urlencoded';

/** Within `server`, bodies are what a form of a page sends, as an object of texts; of a field that is sent twice the first. */
export function takeWebForms(server: FastifyInstance): void {
  server.removeAllContentTypeParsers();
  refuseOtherTypes(server, `what a form of a page sends: ${TYPE}`);
  server.addContentTypeParser(TYPE, { parseAs: 'string', bodyLimit: MOST_BYTES }, (request, body, done) => {
    const refusal = refusalOfEncoding(request.headers);
    if (refusal !== null) return done(new TransportError('unsupported_media_type', refusal));
    const fields = [...new URLSearchParams(body as string)].slice(0, MOST_FIELDS).toReversed();
    done(null, Object.fromEntries(fields));
  });
}
