import { createHmac, createSecretKey, randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { hmacSha256 } from './hmac.ts';

test.each([0, 1, 63, 64, 82, 1_000])('the HMAC of %i bytes equals that of Node', (length) => {
  for (let times = 0; times < 20; times += 1) {
    const [key, message] = [createSecretKey(randomBytes(32)), randomBytes(length)];
    const expected = createHmac('sha256', key).update(message).digest();
    // The second call uses the blocks that the first call cached for this key.
    expect([hmacSha256(key, message), hmacSha256(key, message)]).toEqual([expected, expected]);
  }
});
