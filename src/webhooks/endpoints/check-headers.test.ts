import { describe, expect, test } from 'vitest';
import { checkHeaders } from './check-headers.ts';

describe('checkHeaders', () => {
  test('accepts ordinary headers, in upper and lower case', () => {
    expect(checkHeaders({ Authorization: 'Bearer abc=', 'X-Tenant': 'a b\tc', cookie: '' })).toEqual([]);
  });

  test.each([
    'Host',
    'content-length',
    'Content-Type',
    'content-encoding',
    'connection',
    'Keep-Alive',
    'Transfer-Encoding',
    'TE',
    'trailer',
    'upgrade',
    'expect',
    'proxy-connection',
    'User-Agent',
    'accept-encoding',
    'webhook-id',
    'Webhook-Anything',
    'SVIX-signature',
    'Phial-Origin',
  ])('refuses %s, which the service sets itself', (name) => {
    expect(checkHeaders({ [name]: 'x' })).toEqual([`The header "${name}" is set by the service.`]);
  });

  test.each(['a\r\nx-injected: 1', 'a\nb', 'a\rb', 'a\0b', 'Grüße', '\u{1F600}', '\x7f'])(
    'refuses the value %j',
    (value) => {
      expect(checkHeaders({ 'x-a': value })).toEqual([
        'The value of "x-a" may hold printable ASCII characters only, and no line breaks.',
      ]);
    },
  );

  test.each(['', 'a b', 'a:b', 'a\r\nx-y', 'ü', 'a(b)'])('refuses the name %j', (name) => {
    expect(checkHeaders({ [name]: 'x' })).toEqual([`${JSON.stringify(name)} is not a header name.`]);
  });

  test('refuses headers that are too many, too long, or equal except for their case', () => {
    const many = Object.fromEntries(Array.from({ length: 33 }, (_, index) => [`x-${index}`, 'v']));
    expect(checkHeaders(many)).toEqual(['At most 32 headers are allowed.']);
    expect(checkHeaders({ 'x-a': 'v'.repeat(4097) })).toEqual(['The value of "x-a" is longer than 4096 characters.']);
    expect(checkHeaders({ ['n'.repeat(129)]: 'v' })).toHaveLength(1);
    expect(checkHeaders({ 'X-A': '1', 'x-a': '2' })).toEqual(['The header "x-a" occurs twice.']);
  });

  test('lists every problem at once', () => {
    expect(checkHeaders({ host: 'x', 'x-a': '\n', 'a b': 'x' })).toHaveLength(3);
  });
});
