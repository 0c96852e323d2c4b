// The kinds of option values. Each kind is a function that returns the parsed value, or throws WrongValue.
import { isIP } from 'node:net';

export type Kind<T> = (text: string) => T;

/** A wrong value. The message continues a sentence that begins with the name of the option: "must be …". */
export class WrongValue extends Error {}

export const text: Kind<string> = (value) => value;

/** Makes a kind that returns null if the option is empty. */
export const orNull =
  <T>(kind: Kind<T>): Kind<T | null> =>
  (value) =>
    value === '' ? null : kind(value);

export const oneOf =
  <const T extends string>(...values: T[]): Kind<T> =>
  (value) => {
    const found = values.find((known) => known === value);
    if (found === undefined) throw new WrongValue(`must be one of ${values.join(', ')}, but is ${shown(value)}.`);
    return found;
  };

export const whole =
  (least: number, most: number): Kind<number> =>
  (value) => {
    const number = Number(value);
    if (/^\d+$/.test(value) && number >= least && number <= most) return number;
    throw new WrongValue(`must be a whole number from ${least} to ${most}, but is ${shown(value)}.`);
  };

/** Returns the URL without a slash at its end. */
export const httpAddress: Kind<string> = (value) => {
  if (/^https?:\/\/[^/\s?#]+(\/[^\s?#]*)?$/.test(value)) {
    let end = value.length;
    while (value[end - 1] === '/') end -= 1;
    return value.slice(0, end);
  }
  throw new WrongValue(`must be an http or https address without query, but is ${shown(value)}.`);
};

/** Issuers compare their address exactly, so a slash at its end stays. */
export const issuerAddress: Kind<string> = (value) => {
  httpAddress(value);
  return value;
};

/** The error does not repeat the value, because the value may contain a password. */
export const smtpUrl: Kind<string> = (value) => {
  if (/^smtps?:\/\/([^\s/@]+@)?(\[[\da-f:]+\]|[\w.-]+)(:\d{1,5})?\/?$/i.test(value)) return value;
  throw new WrongValue('must be smtp:// or smtps:// with a host, and with a port unless it is the default port.');
};

export const mailAddress: Kind<string> = (value) => {
  if (/^[^\s@<>(),;:"]{1,64}@[\w.-]{1,190}$/.test(value)) return value;
  throw new WrongValue(`must be a mail address, as phial@example.com, but is ${shown(value)}.`);
};

/** The error does not repeat the value, because the value may contain a password. */
export const postgresUrl: Kind<string> = (value) => {
  if (/^postgres(ql)?:\/\//.test(value)) return value;
  throw new WrongValue('must start with postgres:// or postgresql://.');
};

export const key32: Kind<Buffer> = (value) => {
  const key = Buffer.from(value, 'base64');
  if (key.length === 32) return key;
  throw new WrongValue('must be 32 bytes in base64, as `openssl rand -base64 32` prints them.');
};

export const headerPrefixes: Kind<string[]> = (value) =>
  listOf(
    value.toLowerCase(),
    (prefix) => /^[a-z][a-z0-9-]*-$/.test(prefix),
    'prefixes of letters, digits and hyphens that end with a hyphen, as x-service-',
  );

export const nameServers: Kind<string[]> = (value) =>
  listOf(
    value,
    (item) => isIP(item.replace(/^\[(.*)\](:\d{1,5})?$/, '$1').replace(/^([\d.]+):\d{1,5}$/, '$1')) > 0,
    'addresses as 192.0.2.53 or 192.0.2.53:5353',
  );

export const networks: Kind<string[]> = (value) => listOf(value, isNetwork, 'networks such as 10.0.0.0/8');

function listOf(value: string, isOne: (item: string) => boolean, what: string): string[] {
  const items = value
    .split(',')
    .map((item) => item.trim())
    .filter(Boolean);
  const wrong = items.filter((item) => !isOne(item));
  if (wrong.length > 0) throw new WrongValue(`must be ${what}, but has ${wrong.map(shown).join(', ')}.`);
  return items;
}

function isNetwork(item: string): boolean {
  const [address = '', bits = '', ...rest] = item.split('/');
  const family = isIP(address);
  return rest.length === 0 && family > 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128);
}

const shown = (value: string): string => JSON.stringify(value);
