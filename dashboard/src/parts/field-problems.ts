import { useState } from 'react';
import { PhialError } from '../api/client.ts';
import { isProblem, problemInWords, problemWithField } from './problem-words.ts';

/**
 * Returns what a refusal says about one field of the body, to be shown beside it. `path` is the field's place in the
 * body. Undefined if it says nothing about the field.
 */
export function problemOf(error: unknown, ...path: string[]): string | undefined {
  if (!(error instanceof PhialError) || !Array.isArray(error.detail)) return undefined;
  const wanted = ['body', ...path].join('.');
  const found = error.detail.filter(isProblem).filter(({ loc }) => loc.join('.') === wanted);
  return found.length === 0 ? undefined : found.map(problemInWords).join('. ');
}

const valueAt = (body: unknown, path: readonly string[]): unknown =>
  path.reduce((value, name) => (value as Record<string, unknown> | null | undefined)?.[name], body);

export type Problems = {
  /** What the refusal says about a field that is still as it was sent. */
  at: (...path: string[]) => string | undefined;
  /** What it says that stands beside no field. Null if it names no fields at all. */
  loose: string[] | null;
  /** Whether a field is marked. */
  isMarked: boolean;
};

/**
 * Divides a refusal among the fields of a form. A field that was changed since is no longer marked. `body` is what the
 * form would send now, and `fields` has the places in it of what has a field, such as `physician.npi`.
 */
export function useProblems(error: unknown, body: object, fields: readonly string[]): Problems {
  const [sent, setSent] = useState({ error, body });
  // The error comes with the values of which it speaks.
  if (sent.error !== error) setSent({ error, body });
  const at = (...path: string[]): string | undefined =>
    JSON.stringify(valueAt(body, path)) === JSON.stringify(valueAt(sent.body, path))
      ? problemOf(error, ...path)
      : undefined;
  if (!(error instanceof PhialError) || !Array.isArray(error.detail)) return { at, loose: null, isMarked: false };
  const loose = error.detail.filter(isProblem).filter(({ loc }) => !fields.includes(loc.slice(1).join('.')));
  const isMarked = fields.some((field) => at(...field.split('.')) !== undefined);
  return { at, loose: loose.map(problemWithField), isMarked };
}
