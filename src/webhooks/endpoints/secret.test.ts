import { describe, expect, test } from 'vitest';
import type { TestApp } from '../../../test/test-app.ts';
import { problemPathsOf, withWebhooks, type Problems, type Webhook, type Webhooks } from '../../../test/webhooks.ts';
import { isSecret, newSecret } from '../../delivery/sending/sign.ts';

let app: TestApp;
let path: string;
let make: Webhooks['make'];
withWebhooks((each) => ({ app, path, make } = each));

describe('the secret', () => {
  const secretOf = async (id: string): Promise<string> =>
    (await app.api<{ key: string }>('GET', `${path}/${id}/secret`)).body.key;
  const stored = async (id: string) => {
    const rows = await app.db
      .selectFrom('webhook_secrets')
      .select(['id', 'team_id', 'secret', 'expires_at'])
      .where('webhook_id', '=', id)
      .orderBy('id')
      .execute();
    return rows.map((row) => ({
      expires_at: row.expires_at,
      secret: app.ctx.cipher.openText('webhook_secrets.secret', row, row.secret),
    }));
  };
  const rotate = (id: string, body: object = {}) => app.api<Problems>('POST', `${path}/${id}/secret/rotate`, body);

  test('it is made for an endpoint without one', async () => {
    const [one, two] = [await make(), await make()];
    const key = await secretOf(one.id);
    expect(isSecret(key)).toBe(true);
    expect(await secretOf(two.id)).not.toBe(key);
  });

  test('after a rotation the new one is returned, and the old one signs for 24 hours more', async () => {
    const { id } = await make();
    const before = await secretOf(id);
    expect((await rotate(id)).status).toBe(204);
    const after = await secretOf(id);
    expect(isSecret(after) && after !== before).toBe(true);
    const [old, current, ...rest] = await stored(id);
    expect(rest).toEqual([]);
    expect(old?.secret).toBe(before);
    expect(Math.abs(Date.parse(old?.expires_at ?? '') - Date.now() - 24 * 3_600_000)).toBeLessThan(60_000);
    expect(current).toEqual({ secret: after, expires_at: null });
  });

  test('an endpoint says until when a former secret signs', async () => {
    const { id } = await make();
    const endsAt = async () => (await app.api<Webhook>('GET', `${path}/${id}`)).body.former_secret_ends_at;
    expect(await endsAt()).toBeNull();
    await rotate(id, { keep_old_hours: 2 });
    expect(Math.abs(Date.parse((await endsAt()) ?? '') - Date.now() - 2 * 3_600_000)).toBeLessThan(60_000);
    await rotate(id, { keep_old_hours: 0 });
    expect(await endsAt()).toBeNull();
  });

  test.each([
    [1, 1],
    [168, 168],
    [null, 24],
  ])('the old one signs for the hours of the rotation (%s)', async (keep_old_hours, hours) => {
    const { id } = await make();
    expect((await rotate(id, { keep_old_hours })).status).toBe(204);
    const [old] = await stored(id);
    expect(Math.abs(Date.parse(old?.expires_at ?? '') - Date.now() - hours * 3_600_000)).toBeLessThan(60_000);
  });

  test('after a leak all older ones end at once', async () => {
    const { id } = await make();
    for (const keep_old_hours of [168, 168, 0]) await rotate(id, { keep_old_hours });
    expect(await stored(id)).toEqual([{ secret: await secretOf(id), expires_at: null }]);
  });

  test('a shorter time also applies to older ones, and a longer one extends none', async () => {
    const { id } = await make();
    for (const keep_old_hours of [48, 2, 96]) await rotate(id, { keep_old_hours });
    const hours = (await stored(id)).map(
      ({ expires_at }) => expires_at && Math.round((Date.parse(expires_at) - Date.now()) / 3_600_000),
    );
    expect(hours).toEqual([2, 2, 96, null]);
  });

  test('no old one signs for longer than 7 days', async () => {
    const { id } = await make();
    for (const keep_old_hours of [169, -1, 1.5]) {
      const response = await rotate(id, { keep_old_hours });
      expect([response.status, problemPathsOf(response).length]).toEqual([422, 1]);
    }
    expect((await stored(id)).length).toBe(1);
  });

  test('a given key becomes the secret', async () => {
    const { id } = await make();
    const key = newSecret();
    await rotate(id, { key });
    expect(await secretOf(id)).toBe(key);
  });

  test('going back to the former secret makes it the current one, once', async () => {
    const { id } = await make();
    const first = await secretOf(id);
    await rotate(id);
    const second = await secretOf(id);
    await rotate(id, { key: first });
    expect(await secretOf(id)).toBe(first);
    expect((await stored(id)).map((row) => [row.secret, row.expires_at === null])).toEqual([
      [second, false],
      [first, true],
    ]);
  });

  test('a malformed key is refused without being repeated', async () => {
    const { id } = await make();
    for (const key of [
      'whsec_short',
      'MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
      `whsec_${Buffer.alloc(65).toString('base64')}`,
    ]) {
      const response = await rotate(id, { key });
      expect([response.status, ...problemPathsOf(response)]).toEqual([422, 'string_pattern_mismatch body.key']);
      expect(JSON.stringify(response.body)).not.toContain(key);
    }
  });

  test('secrets that have ended are deleted, and only so many sign at the same time', async () => {
    const { id } = await make();
    for (let n = 0; n < 4; n += 1) expect((await rotate(id)).status).toBe(204);
    const current = await secretOf(id);
    const refused = await rotate(id);
    expect([refused.status, refused.body.code]).toEqual([400, 'too_many_secrets']);
    expect(await secretOf(id)).toBe(current);
    await app.db
      .updateTable('webhook_secrets')
      .set({ expires_at: '2026-01-01T00:00:00Z' })
      .where('webhook_id', '=', id)
      .where('expires_at', 'is not', null)
      .execute();
    expect((await rotate(id)).status).toBe(204);
    expect((await stored(id)).length).toBe(2);
  });

  test('concurrent rotations leave one current secret', async () => {
    const { id } = await make();
    expect((await Promise.all([rotate(id), rotate(id), rotate(id)])).map(({ status }) => status)).toEqual([
      204, 204, 204,
    ]);
    expect((await stored(id)).filter((row) => row.expires_at === null).length).toBe(1);
  });
});

describe('the key pair', () => {
  const publicKeyOf = async (id: string): Promise<string | null> =>
    (await app.api<{ public_key: string | null }>('GET', `${path}/${id}/public_key`)).body.public_key;
  const rotate = (id: string, body: object = {}) =>
    app.api<{ code: string }>('POST', `${path}/${id}/public_key/rotate`, body);
  const stored = async (id: string) =>
    app.db
      .selectFrom('webhook_secrets')
      .select(['secret', 'expires_at'])
      .where('webhook_id', '=', id)
      .where('signature', '=', 'v1a')
      .orderBy('id')
      .execute();

  test('is made only for endpoints that enable v1a, and stays when they disable it for a while', async () => {
    const { id } = await make();
    expect(await publicKeyOf(id)).toBeNull();
    const { body } = await app.api<Webhook>('PATCH', `${path}/${id}`, { v1a_enabled: true });
    expect(body.v1a_enabled).toBe(true);
    const key = await publicKeyOf(id);
    expect(key).toMatch(/^whpk_[A-Za-z0-9+/]{43}=$/);
    await app.api('PATCH', `${path}/${id}`, { v1a_enabled: false });
    await app.api('PATCH', `${path}/${id}`, { v1a_enabled: true });
    expect(await publicKeyOf(id)).toBe(key);
    const asking = await make({ v1a_enabled: true });
    expect(asking.v1a_enabled).toBe(true);
    expect(await publicKeyOf(asking.id)).not.toBe(key);
  });

  test('is stored sealed, and its private half is in no answer', async () => {
    const { id } = await make({ v1a_enabled: true });
    const [row] = await stored(id);
    expect(row?.secret.includes('whsk_')).toBe(false);
    for (const at of ['', '/secret', '/public_key', '/headers'])
      expect(JSON.stringify((await app.api('GET', `${path}/${id}${at}`)).body)).not.toContain('whsk_');
  });

  test('is replaced by a rotation, which does not change the secret', async () => {
    const { id } = await make({ v1a_enabled: true });
    const secret = (await app.api('GET', `${path}/${id}/secret`)).body;
    const before = await publicKeyOf(id);
    expect((await rotate(id, { keep_old_hours: 48 })).status).toBe(204);
    expect(await publicKeyOf(id)).not.toBe(before);
    const [old, current, ...rest] = await stored(id);
    expect(Math.abs(Date.parse(old?.expires_at ?? '') - Date.now() - 48 * 3_600_000)).toBeLessThan(60_000);
    expect([current?.expires_at, rest]).toEqual([null, []]);
    expect((await app.api('GET', `${path}/${id}/secret`)).body).toEqual(secret);
    expect((await rotate(id)).status).toBe(204);
    const refused = await rotate(id);
    expect([refused.status, refused.body.code]).toEqual([400, 'too_many_secrets']);
    expect((await rotate(id, { keep_old_hours: 0 })).status).toBe(204);
    expect((await stored(id)).length).toBe(1);
  });
});
