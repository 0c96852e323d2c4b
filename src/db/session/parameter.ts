import pg from 'pg';
import { byteaArray } from './binary-array.ts';

const toText = (pg as unknown as { utils: { prepareValue: (value: unknown) => unknown } }).utils.prepareValue;

/** Returns a value in the form that PostgreSQL's protocol needs: text, or bytes for a binary array. */
export const toParameter = (value: unknown): unknown =>
  Array.isArray(value) && value.some((item) => Buffer.isBuffer(item)) ? byteaArray(value as Buffer[]) : toText(value);
