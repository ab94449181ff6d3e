import { expect, test } from 'vitest';
import { visitorAddresses } from '../../src/console/attempts.ts';
import { useConsole } from './stand.ts';

const openConsole = useConsole();

function from(trusted: readonly string[], socket: string, header?: string): string {
  const headers = header === undefined ? {} : { 'x-forwarded-for': header };
  return visitorAddresses(trusted)({ raw: { socket: { remoteAddress: socket }, headers } } as never);
}

const PROXIES = ['10.0.0.0/8', '2001:db8::/32'];

test.each([
  [
    'nobody is trusted unless told',
    { trusted: [], socket: '203.0.113.9', header: '198.51.100.1' },
    '203.0.113.9',
  ],
  [
    'a stranger who writes the header',
    { trusted: PROXIES, socket: '203.0.113.9', header: '198.51.100.1' },
    '203.0.113.9',
  ],
  [
    'behind a trusted proxy',
    { trusted: PROXIES, socket: '10.0.0.1', header: '198.51.100.1' },
    '198.51.100.1',
  ],
  [
    'a proxy that the socket names in IPv6',
    { trusted: PROXIES, socket: '::ffff:10.0.0.1', header: '198.51.100.1' },
    '198.51.100.1',
  ],
  [
    'what the visitor wrote in front',
    { trusted: PROXIES, socket: '10.0.0.1', header: '1.1.1.1, 2.2.2.2, 198.51.100.1' },
    '198.51.100.1',
  ],
  [
    'two proxies behind each other',
    { trusted: PROXIES, socket: '10.0.0.1', header: '198.51.100.1, 10.0.0.2' },
    '198.51.100.1',
  ],
  [
    'a visitor who claims to be a proxy',
    { trusted: PROXIES, socket: '10.0.0.1', header: '1.1.1.1, 198.51.100.1, 10.0.0.2' },
    '198.51.100.1',
  ],
  ['no header', { trusted: PROXIES, socket: '10.0.0.1', header: undefined }, '10.0.0.1'],
  ['nonsense', { trusted: PROXIES, socket: '10.0.0.1', header: 'unknown' }, '10.0.0.1'],
  [
    'nonsense in front of a proxy',
    { trusted: PROXIES, socket: '10.0.0.1', header: "'; --, 10.0.0.2" },
    '10.0.0.2',
  ],
  [
    'an address with a port',
    { trusted: PROXIES, socket: '10.0.0.1', header: '198.51.100.1:8080' },
    '10.0.0.1',
  ],
  [
    'a chain longer than any',
    { trusted: PROXIES, socket: '10.0.0.1', header: `${'10.0.0.2,'.repeat(40_000)}10.0.0.3` },
    '10.0.0.2',
  ],
  [
    'IPv6 behind IPv6, by its network',
    { trusted: PROXIES, socket: '2001:db8::7', header: '2A00:1450:0:1::99' },
    '2a00:1450:0',
  ],
  [
    'another address of that network',
    { trusted: PROXIES, socket: '2001:db8::7', header: '2a00:1450:0:1:5:6:7:8' },
    '2a00:1450:0',
  ],
  [
    'another /64 of the /48 of one customer',
    { trusted: PROXIES, socket: '2001:db8::7', header: '2a00:1450::ffff:0:0:0:8' },
    '2a00:1450:0',
  ],
  ['no socket any more', { trusted: PROXIES, socket: '', header: '198.51.100.1' }, ''],
] as const)('%s', (_, { trusted, socket, header }, address) => {
  expect(from(trusted, socket, header)).toBe(address);
});

const CODE = 'x'.repeat(43);

test('behind a trusted proxy each visitor has attempts of their own', async () => {
  const settings = {
    exposure: 'network' as const,
    ...{ address: 'https://ops.clinic.example', trustedProxies: ['127.0.0.1'] },
  };
  const stand = await openConsole({ settings });
  const browser = stand.browser();
  const attempt = async (header: string) =>
    (await browser.post('/console/sign-in', { code: CODE }, { 'x-forwarded-for': header })).status;
  const statuses: number[] = [];
  for (let count = 0; count < 11; count += 1) statuses.push(await attempt('198.51.100.1'));
  expect(statuses.slice(9)).toEqual([403, 429]);
  expect(await attempt('198.51.100.2')).toBe(403);
  // Who writes other addresses in front of their own gains nothing.
  expect(await attempt('203.0.113.5, 198.51.100.1')).toBe(429);
});

test('without a trusted proxy the header changes nothing', async () => {
  const settings = { exposure: 'network', address: 'https://ops.clinic.example' } as const;
  const browser = (await openConsole({ settings })).browser();
  const statuses: number[] = [];
  for (let count = 0; count < 11; count += 1) {
    const headers = { 'x-forwarded-for': `198.51.100.${count}` };
    statuses.push((await browser.post('/console/sign-in', { code: CODE }, headers)).status);
  }
  expect(statuses.slice(9)).toEqual([403, 429]);
});
