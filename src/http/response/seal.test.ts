import { expect, test } from 'vitest';
import { sealFor } from './seal.ts';

test('A sealed answer opens with its own key and with no other key', () => {
  const sealed = sealFor('mg_one').close('{"value":"sk_us_secret"}');
  expect(sealed).not.toContain('sk_us_secret');
  expect(sealFor('mg_one').open(sealed)).toBe('{"value":"sk_us_secret"}');
  expect(sealFor('mg_two').open(sealed)).toBeNull();
});
