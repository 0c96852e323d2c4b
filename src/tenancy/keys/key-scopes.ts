import { areaOf, AREAS, type Area } from '../../operation/areas.ts';

/**
 * A scope of a team API key. `read` allows reading in every area. `orders`, for example, allows everything in one area,
 * and `orders:read` allows reading in that area.
 */
export type KeyScope = 'read' | Area | `${Area}:read`;

export const KEY_SCOPES: readonly KeyScope[] = ['read', ...AREAS.flatMap((area) => [area, `${area}:read` as const])];

/** Returns the narrowest scope that allows an operation. */
export const neededScope = ({ area, reads }: { area: Area; reads: boolean }): KeyScope =>
  reads ? `${area}:read` : area;

/**
 * Returns true if the caller's key may read documents of orders. Other keys get no links to documents, because a link
 * opens its document without a key.
 */
export const reachesDocuments = ({ keyScopes = null }: { keyScopes?: readonly string[] | null }): boolean =>
  keyScopes === null || allows(keyScopes as readonly KeyScope[], { area: areaOf('documents'), reads: true });

/** Returns true if these scopes allow an operation of the area. */
export const allows = (scopes: readonly KeyScope[], { area, reads }: { area: Area; reads: boolean }): boolean =>
  scopes.includes(area) || (reads && (scopes.includes('read') || scopes.includes(`${area}:read`)));
