import { describe, expect, test } from 'vitest';
import { addressPolicy } from './address-policy.ts';

const strict = addressPolicy({ allowedNetworks: [], allowHttp: false });
const sandbox = addressPolicy({ allowedNetworks: ['127.0.0.0/8', '::1/128'], allowHttp: true });

const refused: [string, string][] = [
  ['unspecified', '0.0.0.0'],
  ['this network', '0.1.2.3'],
  ['private', '10.0.0.1'],
  ['private', '172.16.0.1'],
  ['private', '172.31.255.255'],
  ['private', '192.168.1.1'],
  ['carrier-grade NAT', '100.64.0.1'],
  ['carrier-grade NAT', '100.127.255.255'],
  ['metadata of Alibaba Cloud', '100.100.100.200'],
  ['loopback', '127.0.0.1'],
  ['loopback', '127.255.255.254'],
  ['link-local', '169.254.0.1'],
  ['metadata', '169.254.169.254'],
  ['metadata of containers', '169.254.170.2'],
  ['host agent of Azure', '168.63.129.16'],
  ['IETF protocol', '192.0.0.8'],
  ['metadata of Oracle Cloud', '192.0.0.192'],
  ['documentation', '192.0.2.1'],
  ['documentation', '198.51.100.1'],
  ['documentation', '203.0.113.1'],
  ['6to4 relay', '192.88.99.1'],
  ['benchmark', '198.18.0.1'],
  ['benchmark', '198.19.255.255'],
  ['multicast', '224.0.0.1'],
  ['multicast', '239.255.255.255'],
  ['reserved', '240.0.0.1'],
  ['broadcast', '255.255.255.255'],
  ['unspecified', '::'],
  ['loopback', '::1'],
  ['IPv4-compatible', '::7f00:1'],
  ['IPv4-compatible, public inside', '::8.8.8.8'],
  ['IPv4-mapped', '::ffff:127.0.0.1'],
  ['IPv4-mapped', '::ffff:a9fe:a9fe'],
  ['IPv4-translated', '::ffff:0:7f00:1'],
  ['NAT64', '64:ff9b::7f00:1'],
  ['NAT64', '64:ff9b::10.0.0.1'],
  ['NAT64', '64:ff9b::169.254.169.254'],
  ['local NAT64', '64:ff9b:1::7f00:1'],
  ['local NAT64, public inside', '64:ff9b:1::8.8.8.8'],
  ['discard', '100::1'],
  ['Teredo', '2001:0:4136:e378:8000:63bf:3fff:fdd2'],
  ['benchmark', '2001:2::1'],
  ['ORCHID', '2001:20::1'],
  ['documentation', '2001:db8::1'],
  ['documentation', '3fff::1'],
  ['6to4', '2002:7f00:1::1'],
  ['6to4, public inside', '2002:808:808::1'],
  ['segment routing', '5f00::1'],
  ['unassigned', '4000::1'],
  ['unassigned', '1::1'],
  ['unique local', 'fc00::1'],
  ['metadata of AWS', 'fd00:ec2::254'],
  ['metadata of Google Cloud', 'fd20:ce::254'],
  ['link-local', 'fe80::1'],
  ['link-local with a zone', 'fe80::1%eth0'],
  ['site-local', 'fec0::1'],
  ['multicast', 'ff02::1'],
];

const routable = [
  '1.1.1.1',
  '8.8.8.8',
  '9.255.255.255',
  '11.0.0.0',
  '100.63.255.255',
  '100.128.0.0',
  '126.255.255.255',
  '128.0.0.1',
  '172.15.255.255',
  '172.32.0.0',
  '192.167.255.255',
  '192.169.0.0',
  '223.255.255.255',
  '2606:4700:4700::1111',
  '2a00:1450:4001:800::200e',
  '::ffff:8.8.8.8',
  '64:ff9b::8.8.8.8',
];

describe('isAllowed', () => {
  test.each(refused)('refuses %s: %s', (_, ip) => {
    expect(strict.isAllowed(ip)).toBe(false);
  });

  test.each(routable)('allows %s', (ip) => {
    expect(strict.isAllowed(ip)).toBe(true);
  });

  test.each(['', 'example.com', '127.1', '0x7f.1', '2130706433', '8.8.8.8/32', '[::1]', '1.2.3.4.5'])(
    'refuses %j, which is not written as an IP address',
    (text) => {
      expect(addressPolicy({ allowedNetworks: ['0.0.0.0/0', '::/0'], allowHttp: true }).isAllowed(text)).toBe(false);
    },
  );

  test('allows addresses in an allowed network, also mapped into IPv6, and no address outside it', () => {
    const policy = addressPolicy({ allowedNetworks: ['10.1.0.0/16', '192.168.7.9', 'fd12::/16'], allowHttp: false });
    for (const ip of ['10.1.0.1', '::ffff:10.1.2.3', '192.168.7.9', 'fd12::5']) {
      expect(policy.isAllowed(ip)).toBe(true);
    }
    for (const ip of ['10.2.0.1', '192.168.7.8', 'fd13::5', '::1', '64:ff9b::10.1.0.1', '127.0.0.1']) {
      expect(policy.isAllowed(ip)).toBe(false);
    }
  });

  test.each(['', 'all', '10.0.0.0/33', '10.0.0/8', '10.0.0.0/8/8', '10.0.0.0/', '::/129', 'example.com'])(
    'throws a message for the allowed network %j',
    (network) => {
      expect(() => addressPolicy({ allowedNetworks: [network], allowHttp: false })).toThrow(/is not a network/);
    },
  );
});

describe('checkUrl', () => {
  test.each([
    'https://example.com/hook?team=1',
    'https://example.com:8443/',
    'https://EXAMPLE.com',
    'https://8.8.8.8/hook',
    'https://[2606:4700:4700::1111]/hook',
    'https://grüße.example.com/',
  ])('accepts %s', (url) => {
    expect(strict.checkUrl(url)).toBeNull();
  });

  test.each([
    'https://127.0.0.1/',
    'https://127.1/',
    'https://2130706433/',
    'https://0x7f.1/',
    'https://0x7f000001/',
    'https://0177.0.0.1/',
    'https://①②⑦.⓪.⓪.①/',
    'https://127。0。0。1/',
    'https://%31%32%37.0.0.1/',
    'https://127.0.0.1./',
    'https://0/',
    'https://169.254.169.254/latest/meta-data/',
    'https://2852039166/',
    'https://10.0.0.1:8443/',
    'https://[::1]/',
    'https://[::]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[::ffff:7f00:1]/',
    'https://[0:0:0:0:0:ffff:169.254.169.254]/',
    'https://[::127.0.0.1]/',
    'https://[64:ff9b::7f00:1]/',
    'https://[64:ff9b:1::1]/',
    'https://[2002:7f00:1::]/',
    'https://[fd00:ec2::254]/',
    'https://[fe80::1]/',
    'https://[fec0::1]/',
    'https://localhost/',
    'https://LOCALHOST./',
    'https://api.localhost:8443/',
  ])('refuses %s when it contains an address of our network', (url) => {
    expect(strict.checkUrl(url)).toMatch(/private, local or reserved address/);
  });

  test.each([
    ['http://example.com/', /begin with https/],
    ['HTTP://example.com/', /begin with https/],
    ['ftp://example.com/', /begin with https/],
    ['file:///etc/passwd', /begin with https/],
    ['javascript:alert(1)', /begin with https/],
    ['//example.com/', /begin with https/],
    ['https:example.com', /begin with https/],
    ['example.com', /begin with https/],
    ['', /begin with https/],
    ['https://', /not valid/],
    ['https:///', /not valid/],
    ['https://:443/', /not valid/],
    ['https://1.2.3.4.5/', /not valid/],
    ['https://256.1.1.1/', /not valid/],
    ['https://example.com:99999/', /not valid/],
    ['https://[::1%25eth0]/', /not valid/],
    ['https://user@example.com/', /user name/],
    ['https://user:pass@example.com/', /user name/],
    ['https://:pass@example.com/', /user name/],
    ['https://example.com@127.0.0.1/', /user name/],
    ['https://example.com/#part', /fragment/],
    ['https://example.com/#', /fragment/],
    ['https://exam\nple.com/', /line breaks/],
    [' https://example.com/', /spaces/],
    ['https://example.com/a b', /spaces/],
    ['https://example.com:25/', /Port 25/],
    ['https://example.com:6667/', /Port 6667/],
  ])('refuses %j', (url, reason) => {
    expect(strict.checkUrl(url)).toMatch(reason);
  });

  test('refuses a URL of more than 2048 characters', () => {
    expect(strict.checkUrl(`https://example.com/${'a'.repeat(2028)}`)).toBeNull();
    expect(strict.checkUrl(`https://example.com/${'a'.repeat(2029)}`)).toMatch(/at most 2048/);
  });

  test('allows a local endpoint with loopback and http allowed, but not the metadata service', () => {
    for (const url of [
      'http://127.0.0.1:8080/',
      'http://localhost:8080/',
      'http://[::1]:8080/',
      'http://example.com/',
    ]) {
      expect(sandbox.checkUrl(url)).toBeNull();
    }
    for (const url of ['http://169.254.169.254/', 'http://10.0.0.1/', 'http://[fd00:ec2::254]/']) {
      expect(sandbox.checkUrl(url)).toMatch(/private, local or reserved/);
    }
  });
});
