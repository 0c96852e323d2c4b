import { expect, test } from 'vitest';
import { addressPolicy } from './address-policy.ts';
import { urlOrNull } from '../wire/text.ts';

test('a URL with letters beyond ASCII has one form, however often it is checked', () => {
  const { checkUrl } = addressPolicy({ allowedNetworks: [], allowHttp: false });
  const refused = new Set<string | null>();
  for (let n = 0; n < 30_000; n += 1) {
    if (urlOrNull('https://grüße.example.com/')?.hostname !== 'xn--gre-6ka8l.example.com') refused.add('urlOrNull');
    refused.add(checkUrl('https://grüße.example.com/'));
  }
  expect([...refused]).toEqual([null]);
  expect(urlOrNull('https://exa mple.com/')).toBeNull();
});
