import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, test } from 'vitest';
import { nodeExchange, type Sent } from '../../src/platform/http-answer.ts';
import { list, type Reply, Stands } from './stand.ts';

const stands = new Stands();
afterEach(() => stands.close());

const NEVER = new AbortController().signal;

describe('a request to the platform', () => {
  const ask = (url: string, more: Partial<Sent> = {}) =>
    nodeExchange({ url, method: 'GET', headers: {}, signal: NEVER, ...more });
  const asked = async (reply: Reply, more: Partial<Sent> = {}) => {
    const { url, seen } = await stands.answering(() => reply);
    return { seen, answer: ask(`${url}/contacts`, more) };
  };

  test('brings status, headers by their name in lower case, and the text', async () => {
    const headers = { 'Retry-After': '17', 'Request-Id': 'req_1' };
    const answer = await (await asked({ status: 429, text: 'später', headers })).answer;
    expect(answer).toMatchObject({ status: 429, text: 'später' });
    expect(['retry-after', 'request-id', 'date-of-birth'].map((name) => answer.headers.get(name))).toEqual([
      '17',
      'req_1',
      null,
    ]);
  });

  test('sends method, headers and body', async () => {
    const { seen, answer } = await asked(list([]), {
      ...{ method: 'POST', headers: { 'content-type': 'application/json', 'x-own': 'a' }, body: '{"a":"ä"}' },
    });
    await answer;
    expect(seen[0]).toMatchObject({ method: 'POST', body: '{"a":"ä"}' });
    expect(seen[0]?.headers).toMatchObject({ 'content-type': 'application/json', 'x-own': 'a' });
  });

  test('follows no redirect', async () => {
    const { url, seen } = await stands.answering(() => ({
      ...{ status: 302, text: '', headers: { location: `${url}/elsewhere` } },
    }));
    expect((await ask(url)).status).toBe(302);
    expect(seen).toHaveLength(1);
  });

  test('reads an answer without a body', async () => {
    const { answer } = await asked((response) => void response.writeHead(204).end());
    expect(await answer).toMatchObject({ status: 204, text: '' });
  });

  test('rejects when the body breaks off, and when the connection is reset', async () => {
    const { answer: cut } = await asked((response) => {
      response.writeHead(200, { 'content-length': '1000' });
      response.write('{"object":');
      setTimeout(() => response.destroy(), 10);
    });
    await expect(cut).rejects.toThrow();
    const { answer: reset } = await asked((response) => void response.socket?.resetAndDestroy());
    await expect(reset).rejects.toThrow();
  });

  test('rejects when nobody listens', async () => {
    const { url } = await stands.answering(() => list([]));
    await stands.close();
    await expect(ask(url)).rejects.toThrow();
  });

  test.each([
    ['before the answer', () => {}],
    ['within the body', (response) => void response.writeHead(200).write('{')],
  ] as [string, Reply][])('is stopped %s', async (_name, reply) => {
    const stop = new AbortController();
    const { answer, seen } = await asked(reply, { signal: stop.signal });
    await expect.poll(() => seen.length).toBe(1);
    stop.abort();
    await expect(answer).rejects.toThrow();
  });

  test('asks for gzip, and unpacks it', async () => {
    const { seen, answer } = await asked((response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('{"a":"ä"}'));
    });
    expect(await answer).toMatchObject({ status: 200, text: '{"a":"ä"}' });
    expect(seen[0]?.headers['accept-encoding']).toBe('gzip');
  });

  test('refuses what is too large once it is unpacked', async () => {
    const { answer } = await asked((response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(33 * 1024 * 1024)));
    });
    await expect(answer).rejects.toMatchObject({ name: 'AnswerTooLarge' });
  });

  test('sends nothing once it is stopped', async () => {
    const { url, seen } = await stands.answering(() => list([]));
    await expect(ask(url, { signal: AbortSignal.abort() })).rejects.toThrow();
    expect(seen).toEqual([]);
  });

  test('leaves what is too large unread', async () => {
    const { answer } = await asked((response) => {
      const pour = (): void => {
        while (!response.destroyed && response.write('x'.repeat(4 * 1024 * 1024)));
      };
      response.writeHead(200).on('drain', pour);
      pour();
    });
    await expect(answer).rejects.toMatchObject({ name: 'AnswerTooLarge' });
  });
});
