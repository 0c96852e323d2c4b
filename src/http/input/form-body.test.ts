import { Readable } from 'node:stream';
import { Ajv } from 'ajv';
import { Type } from 'typebox';
import { afterEach, expect, test, vi } from 'vitest';
import { multipart } from '../../operation/media.ts';
import { readForm } from './form-body.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

const KIND = multipart(Type.Object({ name: Type.String({ minLength: 2 }) }), {
  file: 'file',
  maxFiles: 1,
  maxBytes: 1_000,
});

/** The problem with a form without a file, whose only field has this value. */
async function problemOf(value: string): Promise<unknown> {
  const body = `--b\r\ncontent-disposition: form-data; name="name"\r\n\r\n${value}\r\n--b--\r\n`;
  const form = readForm('multipart/form-data; boundary=b', Readable.from([body]), KIND);
  for await (const file of form.files) for await (const _ of file);
  try {
    return form.fields();
  } catch (error) {
    const { problems } = error as { problems: { type: string; loc: unknown[] }[] };
    return problems.map(({ type, loc }) => `${loc.join('.')} ${type}`);
  }
}

test('the check of the fields is compiled once, however many forms are read', async () => {
  const compile = vi.spyOn(Ajv.prototype, 'compile');
  expect(await problemOf('Al')).toEqual(['body.file missing']);
  expect(await problemOf('A')).toEqual(['body.file missing', 'body.name string_too_short']);
  expect(compile).toHaveBeenCalledTimes(1);
});

test('a field that is too long has one problem, and is not called missing', async () => {
  expect(await problemOf('A'.repeat(1_001))).toEqual(['body.file missing', 'body.name string_too_long']);
  expect(await problemOf('é'.repeat(501))).toEqual(['body.file missing', 'body.name string_too_long']);
  expect(await problemOf('A'.repeat(1_000))).toEqual(['body.file missing']);
});
