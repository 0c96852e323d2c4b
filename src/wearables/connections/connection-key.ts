import { isId } from '../../db/cursor.ts';

/** The position of a connection in the list: microseconds of the time at which it got its status, user, provider. */
export type ConnectionKey = [list: 'connections', since: number, user: string, provider: string];

export const isConnectionKey = (key: unknown): key is ConnectionKey =>
  Array.isArray(key) &&
  key.length === 4 &&
  key[0] === 'connections' &&
  Number.isSafeInteger(key[1]) &&
  isId(key[2]) &&
  typeof key[3] === 'string' &&
  !key[3].includes('\0');
