import { afterEach, describe, expect, test } from 'vitest';
import { clientFor, contact, failureOf, list, type Reply, Stands } from './stand.ts';

const stands = new Stands();
afterEach(() => stands.close());

const ID = '0b9f1c8e-6d0c-4f57-9d39-0c8a5f1d2e3b';
const HTML = '<html><body>Ivan Petrov, bad gateway</body></html>';

async function getMet(reply: Reply, timeoutMs = 5_000) {
  const { url } = await stands.answering(() => reply);
  return failureOf(clientFor(url, { timeoutMs }).reader.get({ kind: 'contact', id: ID }));
}

describe('an answer that is not the platform’s is retryable and quotes nothing of it', () => {
  const cases: [string, Reply, string][] = [
    ['HTML with 502', { status: 502, text: HTML }, 'platform-unavailable'],
    ['HTML with 500', { status: 500, text: HTML }, 'platform-unavailable'],
    ['an empty 504', { status: 504, text: '' }, 'platform-unavailable'],
    ['a 408 of a gateway', { status: 408, text: HTML }, 'platform-unavailable'],
    ['HTML with 404', { status: 404, text: HTML }, 'platform-bad-answer'],
    ['HTML with 403', { status: 403, text: HTML }, 'platform-bad-answer'],
    [
      'JSON with 404 of another service',
      { status: 404, body: { message: 'Route not found', statusCode: 404 } },
      'platform-bad-answer',
    ],
    [
      'about:blank with 404',
      { status: 404, body: { type: 'about:blank', status: 404 } },
      'platform-bad-answer',
    ],
    [
      'truncated JSON with 404',
      { status: 404, text: '{"type":"https://e/not-found","sta' },
      'platform-bad-answer',
    ],
    ['HTML with 200', { status: 200, text: HTML }, 'platform-bad-answer'],
    [
      'truncated JSON with 200',
      { status: 200, text: '{"object":"contact","name":"Ivan Pe' },
      'platform-bad-answer',
    ],
    ['an empty 200', { status: 200, text: '' }, 'platform-bad-answer'],
    [
      'a redirect',
      { status: 302, text: '', headers: { location: 'http://127.0.0.1:1/' } },
      'platform-bad-answer',
    ],
    ['an id longer than any', { status: 200, body: contact('x'.repeat(129)) }, 'platform-bad-answer'],
    ['an id with an escape code', { status: 200, body: contact('\u001b[2J') }, 'platform-bad-answer'],
    ['an id that leads elsewhere', { status: 200, body: contact('../leads/1') }, 'platform-bad-answer'],
    [
      'a text longer than any',
      { status: 200, body: contact(ID, { name: 'x'.repeat(1024 * 1024 + 1) }) },
      'platform-bad-answer',
    ],
    [
      'fields in fields without end',
      {
        status: 200,
        text: JSON.stringify(contact(ID)).replace(/\}$/, `,"a":${'[['.repeat(20)}${']]'.repeat(20)}}`),
      },
      'platform-bad-answer',
    ],
    ['another object', { status: 200, body: { object: 'lead', id: ID } }, 'platform-bad-answer'],
    [
      'a body that breaks off',
      (response) => {
        response.writeHead(200, { 'content-length': '1000' });
        response.write('{"object":"contact"');
        setTimeout(() => response.destroy(), 10);
      },
      'platform-unreachable',
    ],
    ['a reset', (response) => void response.socket?.resetAndDestroy(), 'platform-unreachable'],
  ];
  test.each(cases)('%s', async (_name, reply, code) => {
    const error = await getMet(reply);
    expect(error).toMatchObject({ family: 'retryable', code, target: 'platform' });
    expect(`${error.message} ${error.advice} ${String(error.cause)}`).not.toContain('Ivan');
  });
});

test('a server that never answers is left after the time-out', async () => {
  const error = await getMet(() => {}, 100);
  expect(error).toMatchObject({ family: 'retryable', code: 'platform-timeout' });
});

test('a body that never ends is left after the time-out', async () => {
  const error = await getMet((response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.write('{');
  }, 100);
  expect(error).toMatchObject({ family: 'retryable', code: 'platform-timeout' });
});

test('a failure without an answer still names the request id that the platform would know', async () => {
  const error = await getMet((response) => void response.destroy());
  expect(error.requestId).toMatch(/^req_sb-[0-9a-f-]{36}$/);
});

test('nobody listening is retryable', async () => {
  const { url } = await stands.answering(() => list([]));
  await stands.close();
  expect(await failureOf(clientFor(url).contacts.list())).toMatchObject({
    family: 'retryable',
    code: 'platform-unreachable',
  });
});

test('an answer above the limit is left unread', async () => {
  const error = await getMet((response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    const chunk = 'x'.repeat(4 * 1024 * 1024);
    const pour = (): void => {
      while (!response.destroyed && response.write(chunk));
    };
    response.on('drain', pour);
    pour();
  }, 20_000);
  expect(error.code).toBe('platform-bad-answer');
  expect(error.message).toContain('33554432 bytes');
});

test('a list that breaks the document is refused with the operation and the field, and without the value', async () => {
  const broken = {
    status: 200,
    body: { object: 'list', data: [contact('a'), { ...contact('b'), id: { name: 'Ivan' } }] },
  };
  const { url } = await stands.answering(() => broken);
  const error = await failureOf(clientFor(url).contacts.list());
  expect(error.code).toBe('platform-bad-answer');
  expect(error.message).toContain('contacts.list');
  expect(error.message).toContain('data.1.id is not of type string');
  expect(error.message).toContain('has_more is not of type boolean');
  expect(error.message).not.toContain('Ivan');
});

test('unknown fields and values of growing lists pass and are kept', async () => {
  const grown = contact(ID, {
    lifecycle: 'vip',
    source: 'telepathy',
    status: 'resting',
    aura: { colour: 'blue' },
  });
  const { url } = await stands.answering(() => ({ status: 200, body: grown }));
  expect(await clientFor(url).reader.get({ kind: 'contact', id: ID })).toEqual(grown);
});

test('a change in a field that nobody stands on stops nothing', async () => {
  const odd = contact(ID, { email: 5, metadata: 'none' });
  const { url } = await stands.answering(() => ({ status: 200, body: odd }));
  expect(await clientFor(url).contacts.get(ID)).toEqual(odd);
});
