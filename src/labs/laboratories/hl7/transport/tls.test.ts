// Phial identifies a laboratory by its certificate, on connections that Phial opens and on those of the laboratory.
import { X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect as connectTcp, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../../../test/test-app.ts';
import { CERTIFICATE, KEY } from '../../../../../test/certificate.ts';
import { addLabTest, byMllp, connectTestLaboratory, kitAtLaboratory } from '../../../../../test/hl7-deployment.ts';
import { startHl7Laboratory, type Hl7Laboratory } from '../../../../../test/hl7-laboratory.ts';
import { startHl7, type Hl7 } from '../start-hl7.ts';

const FINGERPRINT = new X509Certificate(CERTIFICATE).fingerprint256;
const folder = mkdtempSync(join(tmpdir(), 'hl7-tls-'));
const file = (name: string): string => join(folder, name);

let laboratory: Hl7Laboratory;
let app: TestApp;
let hl7: Hl7;
beforeAll(async () => {
  writeFileSync(file('certificate.pem'), CERTIFICATE);
  writeFileSync(file('key.pem'), KEY);
  laboratory = await startHl7Laboratory({ cert: CERTIFICATE, key: KEY });
  app = await startTestApp({
    PHIAL_HL7_PORT: '0',
    PHIAL_HL7_TLS_CERTIFICATE_FILE: file('certificate.pem'),
    PHIAL_HL7_TLS_KEY_FILE: file('key.pem'),
    PHIAL_HL7_TLS_CLIENT_CA_FILE: file('certificate.pem'),
  });
  hl7 = await startHl7(app.ctx);
});
afterAll(async () => {
  await hl7.stop();
  await app.close();
  await laboratory.close();
  rmSync(folder, { recursive: true, force: true });
});

const connect = (tls: object, results: object = {}): Promise<void> => {
  const { mllp } = byMllp(laboratory.port) as { mllp: object };
  return connectTestLaboratory(app.databaseUrl, {
    orders: { mllp: { ...mllp, tls } },
    results: { networks: ['127.0.0.1/32'], ...results },
  });
};

describe('an order', () => {
  const sent = async (tls: object) => {
    await connect(tls);
    const { id } = await kitAtLaboratory(app, app.team, await addLabTest(app, app.team));
    await app.runJobs();
    const rows = await app.db.selectFrom('laboratory_outbox').selectAll().where('order_id', '=', id).execute();
    // If this order still waited, the next test would send it before its own order.
    await app.db.deleteFrom('laboratory_outbox').where('order_id', '=', id).execute();
    return rows.map(({ state, last_error }) => [state, last_error]);
  };

  test.each([
    ['whose certificate has no trusted issuer', { server_name: 'receiver.example.com' }, 'depth_zero_self_signed_cert'],
    [
      'whose certificate has another name',
      () => ({ ca_file: file('certificate.pem') }),
      'err_tls_cert_altname_invalid',
    ],
  ])('is not sent to a laboratory %s', async (_, tls, reason) => {
    expect(await sent(typeof tls === 'function' ? tls() : tls)).toEqual([['waiting', reason]]);
    expect(laboratory.orders).toEqual([]);
  });

  test('is sent to the laboratory with the certificate that the settings trust', async () => {
    const tls = { ca_file: file('certificate.pem'), server_name: 'receiver.example.com' };
    expect(await sent(tls)).toEqual([['accepted', null]]);
    expect(laboratory.orders.length).toBe(1);
  });
});

describe('a laboratory with a certificate of its own', () => {
  /** Sends a message and returns the answer, or an empty text if the connection was closed. */
  const say = (controlId: string, shown: object): Promise<string> =>
    new Promise((resolve) => {
      const socket = connectTls({
        host: '127.0.0.1',
        port: hl7.port as number,
        ca: CERTIFICATE,
        servername: 'receiver.example.com',
        ...shown,
      });
      socket.on('error', () => resolve(''));
      socket.on('close', () => resolve(''));
      socket.on('data', (bytes) => {
        resolve(bytes.toString());
        socket.destroy();
      });
      socket.write(`\x0BMSH|^~\\&|LAB|LABFAC|||2026||ORU^R01|${controlId}|P|2.5.1\r\x1C\r`);
    });
  const shown = { cert: CERTIFICATE, key: KEY };

  test('is answered with the fingerprint of the settings', async () => {
    await connect({}, { certificate_sha256: FINGERPRINT });
    expect(await say('C1', shown)).toContain('MSA|AE|C1');
  });

  test('is not answered with another fingerprint', async () => {
    await connect({}, { certificate_sha256: FINGERPRINT.replace(/^../, FINGERPRINT.startsWith('00') ? '01' : '00') });
    expect(await say('C2', shown)).toBe('');
  });

  test('is answered while another address opens all connections that it can', async () => {
    const silent = (localAddress: string): Promise<Socket> =>
      new Promise((resolve) => {
        const socket = connectTcp({ port: hl7.port as number, host: '127.0.0.1', localAddress });
        socket.on('error', () => undefined);
        socket.once('connect', () => resolve(socket));
        socket.once('close', () => resolve(socket));
      });
    await connect({}, { networks: ['127.0.0.0/30'] });
    const addresses = ['127.0.0.2', '127.0.0.9'].flatMap((address) => Array<string>(64).fill(address));
    const sockets = await Promise.all(addresses.map(silent));
    expect(await say('C4', shown)).toContain('MSA|AE|C4');
    // Closed connections do not count, so one address can connect again and again.
    for (let n = 0; n < 20; n += 1) expect(await say(`C5-${n}`, shown)).toContain('MSA|AE');
    for (const socket of sockets) socket.destroy();
  });

  test('is not answered without a certificate', async () => {
    await connect({}, { certificate_sha256: FINGERPRINT });
    expect(await say('C3', {})).toBe('');
  });
});
