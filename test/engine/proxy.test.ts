import { expect, test } from 'vitest';
import { proxyOf } from '../../src/engine/proxy.ts';

const PROXY = 'http://user:word@proxy.example:3128';
const through = (address: string, env: Record<string, string> = {}) =>
  proxyOf(new URL(address), { HTTPS_PROXY: PROXY, ...env })?.host;

test.each([
  ['https://www.googleapis.com/calendar/v3', 'proxy.example:3128'],
  ['http://platform.example/v1', undefined],
  ['https://127.0.0.1:4010/v1', undefined],
  ['https://localhost/v1', undefined],
  ['https://[::1]:4010/v1', undefined],
])('%s leaves through %s', (address, proxy) => {
  expect(through(address)).toBe(proxy);
});

test.each([
  ['platform.example', true],
  ['.platform.example', true],
  ['*.platform.example', true],
  ['example', true],
  ['other.example, platform.example', true],
  ['other.example platform.example', true],
  ['API.Platform.Example', true],
  ['*', true],
  ['api.platform.example:443', true],
  ['api.platform.example:8443', false],
  ['tform.example', false],
  ['v1.api.platform.example', false],
  ['', false],
  [' , ', false],
])('NO_PROXY=%j leads past the proxy: %s', (rules, isDirect) => {
  expect(through('https://api.platform.example/v1', { NO_PROXY: rules }) === undefined).toBe(isDirect);
});

test('names are read in lower case first, an empty one counts as none, and HTTP_PROXY stands in', () => {
  const env = { HTTPS_PROXY: '', HTTP_PROXY: 'http://second.example:8080' };
  const address = new URL('https://platform.example');
  expect(proxyOf(address, env)?.host).toBe('second.example:8080');
  expect(proxyOf(address, { ...env, https_proxy: 'https://first.example' })?.host).toBe('first.example');
  expect(proxyOf(address, {})).toBeUndefined();
});

test('a proxy without a scheme is plain; what is no HTTP proxy is refused at the start, without its password', () => {
  expect(through('https://platform.example', { HTTPS_PROXY: 'proxy.example:3128' })).toBe(
    'proxy.example:3128',
  );
  for (const HTTPS_PROXY of ['socks5://user:word@proxy.example', 'http://user:word@:x'])
    for (const address of ['https://platform.example', 'http://127.0.0.1:4010/v1'])
      expect(() => through(address, { HTTPS_PROXY })).toThrow(
        expect.objectContaining({ code: 'proxy-unusable', message: expect.not.stringContaining('word') }),
      );
});

test('a login that cannot be read ends the start, and not a request later', () => {
  for (const HTTPS_PROXY of ['http://user:50%off@proxy.test:3128', 'http://us%er@proxy.test:3128'])
    expect(() => proxyOf(new URL('https://platform.test/'), { HTTPS_PROXY })).toThrow(/HTTPS_PROXY/);
});
