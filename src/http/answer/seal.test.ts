import { expect, test } from 'vitest';
import { sealFor } from './seal.ts';

test('a sealed answer opens with the key it was closed under, and with no other', () => {
  const sealed = sealFor('mg_one').close('{"value":"sk_us_secret"}');
  expect(sealed).not.toContain('sk_us_secret');
  expect(sealFor('mg_one').open(sealed)).toBe('{"value":"sk_us_secret"}');
  expect(sealFor('mg_two').open(sealed)).toBeNull();
});
