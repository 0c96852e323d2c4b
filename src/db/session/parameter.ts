import pg from 'pg';
import { byteaArray } from './binary-array.ts';

const toText = (pg as unknown as { utils: { prepareValue: (value: unknown) => unknown } }).utils.prepareValue;

/** A value as pg's protocol writes it: text, or bytes for what travels as binary. */
export const toParameter = (value: unknown): unknown =>
  Array.isArray(value) && value.some((item) => Buffer.isBuffer(item)) ? byteaArray(value as Buffer[]) : toText(value);
