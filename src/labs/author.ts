import type { TeamCtx } from '../context.ts';
import { AppError } from '../errors.ts';

/**
 * Returns the name of the person who acts. It is the person who is signed in, or the name that a caller with a key
 * gives in the field `field`. A caller who is signed in cannot act in the name of somebody else, so the field has no
 * effect then. Throws author_required.
 */
export function authorOf({ person }: TeamCtx, field: string, given: string | null): string {
  const name = person?.name ?? given;
  if (name !== null) return name;
  throw new AppError('author_required', `A key is not a person. Give the name of the person who acts in \`${field}\`.`);
}
