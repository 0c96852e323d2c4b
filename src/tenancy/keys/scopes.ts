import { areaOf, AREAS, type Area } from '../../http/areas.ts';

/** `read` is the reading of every area, `orders` everything of one, `orders:read` the reading of one. */
export type KeyScope = 'read' | Area | `${Area}:read`;

export const KEY_SCOPES: readonly KeyScope[] = ['read', ...AREAS.flatMap((area) => [area, `${area}:read` as const])];

/** What an operation needs: the narrowest scope that lets a key do it. */
export const neededScope = ({ area, reads }: { area: Area; reads: boolean }): KeyScope =>
  reads ? `${area}:read` : area;

/** Whether the key that calls may read documents of orders; a link to one is told to no other. */
export const reachesDocuments = ({ keyScopes = null }: { keyScopes?: readonly string[] | null }): boolean =>
  keyScopes === null || allows(keyScopes as readonly KeyScope[], { area: areaOf('documents'), reads: true });

/** Whether a key that is limited to `scopes` may do it. */
export const allows = (scopes: readonly KeyScope[], { area, reads }: { area: Area; reads: boolean }): boolean =>
  scopes.includes(area) || (reads && (scopes.includes('read') || scopes.includes(`${area}:read`)));
