import { PhialError } from '../api/client.ts';

type Problem = { loc: readonly unknown[]; msg: string };

const isProblem = (value: unknown): value is Problem =>
  typeof value === 'object' && value !== null && 'msg' in value && 'loc' in value && Array.isArray(value.loc);

/**
 * Returns what a refusal says about one field of the body, to be shown beside it. `path` is the field's place in the
 * body. Undefined if it says nothing about the field.
 */
export function problemOf(error: unknown, ...path: string[]): string | undefined {
  if (!(error instanceof PhialError) || !Array.isArray(error.detail)) return undefined;
  const wanted = ['body', ...path].join('.');
  const found = error.detail.filter(isProblem).filter(({ loc }) => loc.join('.') === wanted);
  return found.length === 0 ? undefined : found.map(({ msg }) => msg).join('. ');
}
