import { Ajv } from 'ajv';
import type { TSchema } from 'typebox';
import { addFormats } from '../src/wire/formats.ts';

// A shorter check costs more time to make than it saves here.
const ajv = new Ajv({ strict: false, allErrors: true, code: { optimize: false } });
addFormats(ajv);
const ISO_TIMESTAMP = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;
ajv.addFormat('date-time', ISO_TIMESTAMP);

/** The problems of an answer or event against its declared schema, or an empty list. */
export function problemsOf(shape: TSchema, value: unknown): string[] {
  if (ajv.validate(shape, value)) return [];
  return (ajv.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}
