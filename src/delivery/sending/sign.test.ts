import { createPublicKey, verify } from 'node:crypto';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';
import { describe, expect, test } from 'vitest';
import { newKeyPair, publicKeyOf } from './key-pair.ts';
import { isSecret, newSecret, sign } from './sign.ts';

const body = Buffer.from('{"event_type":"labtest.order.created","data":{"note":"Grüße"}}');
const now = () => Math.floor(Date.now() / 1000);

/** The test vector of the reference libraries of the specification. */
const vector = {
  id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
  timestampSeconds: 1614265330,
  body: '{"test": 2432232314}',
  secrets: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
};

const ofBytes = (count: number) => `whsec_${Buffer.alloc(count, 7).toString('base64')}`;

function only(headers: Record<string, string>, prefix: string): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith(prefix)));
}

describe('sign', () => {
  test('makes the signature that the specification publishes for its example', () => {
    expect(sign(vector)['webhook-signature']).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
  });

  test('is accepted by the standardwebhooks and svix packages, each with its own header names', () => {
    const secret = newSecret();
    const headers = sign({ id: '0199-abc', timestampSeconds: now(), body, secrets: [secret] });
    const expected = JSON.parse(body.toString());
    expect(new StandardWebhook(secret).verify(body, only(headers, 'webhook-'))).toEqual(expected);
    expect(new SvixWebhook(secret).verify(body, only(headers, 'svix-'))).toEqual(expected);
    expect(new SvixWebhook(secret).verify(body, only(headers, 'webhook-'))).toEqual(expected);
  });

  test('with two secrets is accepted by an endpoint that knows either of them, and by no other', () => {
    const secrets = [newSecret(), newSecret()];
    const headers = sign({ id: '0199-abc', timestampSeconds: now(), body, secrets });
    expect(headers['webhook-signature']).toMatch(/^v1,\S{44} v1,\S{44}$/);
    for (const secret of secrets) {
      expect(() => new StandardWebhook(secret).verify(body, headers)).not.toThrow();
      expect(() => new SvixWebhook(secret).verify(body, headers)).not.toThrow();
    }
    expect(() => new StandardWebhook(newSecret()).verify(body, headers)).toThrow(/No matching signature/);
  });

  test('with a key pair is verified with the public key alone, and still by the reference package', () => {
    const [secret, keyPair, other] = [newSecret(), newKeyPair(), newKeyPair()];
    const headers = sign({ id: '0199-abc', timestampSeconds: now(), body, secrets: [secret, keyPair] });
    expect(headers['webhook-signature']).toMatch(/^v1,\S{44} v1a,\S{88}$/);
    expect(() => new StandardWebhook(secret).verify(body, headers)).not.toThrow();
    expect(() => new SvixWebhook(secret).verify(body, headers)).not.toThrow();
    const content = Buffer.from(`0199-abc.${headers['webhook-timestamp']}.${body.toString()}`);
    const signature = Buffer.from(headers['webhook-signature']?.split('v1a,')[1] ?? '', 'base64');
    const verifies = (publicKey: string, what: Buffer): boolean => {
      expect(publicKey).toMatch(/^whpk_\S{44}$/);
      const x = Buffer.from(publicKey.slice(5), 'base64').toString('base64url');
      const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
      return verify(null, what, key, signature);
    };
    expect(verifies(publicKeyOf(keyPair), content)).toBe(true);
    expect(verifies(publicKeyOf(other), content)).toBe(false);
    expect(verifies(publicKeyOf(keyPair), Buffer.concat([content, Buffer.from(' ')]))).toBe(false);
  });

  test('is refused by endpoints when one byte of the body, the id or the time differs', () => {
    const secret = newSecret();
    const headers = sign({ id: '0199-abc', timestampSeconds: now(), body, secrets: [secret] });
    const webhook = new StandardWebhook(secret);
    expect(() => webhook.verify(`${body} `, headers)).toThrow(/No matching signature/);
    expect(() => webhook.verify(body, { ...headers, 'webhook-id': '0199-abd' })).toThrow(/No matching signature/);
    const later = { ...headers, 'webhook-timestamp': String(now() + 5) };
    expect(() => webhook.verify(body, later)).toThrow(/No matching signature/);
  });

  test('rounds the time down to whole seconds', () => {
    expect(sign({ ...vector, timestampSeconds: 1614265330.9 })).toEqual(sign(vector));
  });

  test.each(['', 'a.b', 'a b', 'a\r\nx-y: z'])('refuses the id %j, with which a signed text could be forged', (id) => {
    expect(() => sign({ ...vector, id })).toThrow(/webhook id/);
  });

  test('refuses to sign without a secret or with a malformed one, and does not quote it', () => {
    expect(() => sign({ ...vector, secrets: [] })).toThrow(/at least one secret/);
    expect(() => sign({ ...vector, secrets: ['whsec_short'] })).toThrow(/^A webhook secret is malformed\.$/);
  });
});

describe('secrets', () => {
  test('a new secret is valid and differs each time', () => {
    const secrets = Array.from({ length: 50 }, newSecret);
    expect(secrets.every(isSecret)).toBe(true);
    expect(new Set(secrets).size).toBe(50);
  });

  test.each([ofBytes(24), ofBytes(32), ofBytes(64)])('%s is a secret', (text) => {
    expect(isSecret(text)).toBe(true);
  });

  test.each([
    ['23 bytes', ofBytes(23)],
    ['65 bytes', ofBytes(65)],
    ['no prefix', ofBytes(32).slice('whsec_'.length)],
    ['another prefix', ofBytes(32).replace('whsec_', 'whsk_')],
    ['a stray character', `${ofBytes(24)}!`],
    ['missing padding', ofBytes(32).replace('=', '')],
    ['a line break', `${ofBytes(24)}\n`],
    ['nothing', ''],
  ])('a text with %s is no secret', (_, text) => {
    expect(isSecret(text)).toBe(false);
  });
});
