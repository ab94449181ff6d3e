import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ROLES } from '../../src/domain/role.ts';
import { openTestQueue } from './queues.ts';
import { type Browser, type ConsoleStand, useConsole } from './stand.ts';

const openConsole = useConsole();
const PHONE = '+74950001101';
const BOARD = '/console/queues';
let prefixes = 0;
let stand: ConsoleStand;
let opened: ReturnType<typeof openTestQueue>;

beforeEach(async () => {
  prefixes += 1;
  opened = openTestQueue(() => stand.redisUrl, `board-${prefixes}`);
  stand = await openConsole({ parts: opened.parts });
});
afterEach(() => opened.close());

const asked = async (browser: Browser, path: string) => {
  const { status, text } = await browser.get(`${BOARD}/api/${path}`);
  return { status, body: status === 200 ? JSON.parse(text) : undefined };
};

describe('bull-board', () => {
  it('is for ops alone: its pages, its files, and what they ask for', async () => {
    for (const path of ['', '/', '/queue/objects', '/api/queues', '/static/images/logo.svg']) {
      expect([path, (await stand.browser().get(`${BOARD}${path}`)).status]).toEqual([path, 401]);
      for (const role of ROLES.filter((each) => each !== 'ops'))
        expect([path, (await (await stand.signIn(role)).get(`${BOARD}${path}`)).status]).toEqual([path, 403]);
    }
  });

  it('is not loaded before somebody opens it', async () => {
    const openBoard = vi.fn(async () => Promise.reject(new Error('not there')));
    const other = await openConsole({ parts: () => ({ openBoard }) });
    const ops = await other.signIn('ops');
    await ops.get('/console');
    await other.browser().get(`${BOARD}/`);
    expect(openBoard).not.toHaveBeenCalled();
    expect((await ops.get(`${BOARD}/`)).status).toBe(500);
    expect((await ops.get('/console')).status).toBe(200);
  });

  it('shows the jobs, which hold a key and nothing of anybody', async () => {
    const ops = await stand.signIn('ops');
    opened.queue().add(['appointment/a-1', 'contact/c-1']);
    await vi.waitFor(async () => expect(await opened.queue().counts()).toMatchObject({ wait: 2 }), {
      timeout: 30_000,
    });
    const { body } = await asked(ops, 'queues?activeQueue=objects&status=waiting&page=1&jobsPerPage=10');
    expect(body.queues).toMatchObject([{ name: 'objects', readOnlyMode: true, allowRetries: false }]);
    const jobs = body.queues[0].jobs as { id: string; data: { key: string } }[];
    expect(new Set(jobs.map(({ data }) => JSON.stringify(data)))).toEqual(
      new Set(['{"key":"appointment/a-1"}', '{"key":"contact/c-1"}']),
    );
    const one = await asked(ops, `queues/objects/${jobs[0]?.id}`);
    expect([one.status, JSON.stringify(one.body).includes(PHONE)]).toEqual([200, false]);
  });

  it('has nothing that changes anything, whoever asks', async () => {
    const ops = await stand.signIn('ops');
    opened.queue().add(['appointment/a-1']);
    await vi.waitFor(async () => expect(await opened.queue().counts()).toMatchObject({ wait: 1 }), {
      timeout: 30_000,
    });
    const headers = { origin: stand.url, 'content-type': 'application/x-www-form-urlencoded' };
    for (const path of ['pause', 'empty', 'obliterate', 'promote', 'clean/wait', 'retry/failed', '1/clean'])
      for (const method of ['PUT', 'POST', 'PATCH', 'DELETE']) {
        const { status } = await ops.send(method, `${BOARD}/api/queues/objects/${path}`, { headers });
        expect([method, path, status]).toEqual([method, path, 404]);
      }
    expect(await opened.queue().counts()).toMatchObject({ wait: 1 });
  });

  it.each([
    ['queues/other/1', 404],
    ['queues/objects/workers', 404],
    ['redis/stats', 404],
    ['queues/pause', 404],
    ['queues/objects/%E0%A4%A', 400],
    ['queues?activeQueue=objects&status=..%2Fmeta&page=-1&jobsPerPage=99999999', 200],
  ])('of %s it answers %d', async (path, status) => {
    expect((await asked(await stand.signIn('ops'), path)).status).toBe(status);
  });

  it.each(['static/../../package.json', 'static/%2e%2e%2findex.ejs', 'static/js/none.js', 'static/js/'])(
    'gives out no other file: %s',
    async (path) => {
      const { status, text } = await (await stand.signIn('ops')).get(`${BOARD}/${path}`);
      expect([status, text.includes('@bull-board/ui')]).toEqual([404, false]);
    },
  );

  it('has a page of one host, without a script of its own, in the language of the console', async () => {
    const ops = await stand.signIn('ops');
    const { text, headers } = await ops.get(`${BOARD}/`, { 'accept-language': 'ru' });
    expect(text).not.toMatch(/https?:|style=|<style/);
    expect(text).toContain('"lng":"ru-RU"');
    expect(headers['content-security-policy']).toMatch(/script-src 'self';/);
    expect(headers['content-security-policy']).not.toMatch(/unsafe|https?:/);
    for (const [, file] of text.matchAll(/(?:src|href)="(static\/[^"]+)"/g))
      expect([file, (await ops.get(`${BOARD}/${file}`)).status]).toEqual([file, 200]);
    const { headers: others } = await ops.get('/console');
    expect(others['content-security-policy']).toContain("base-uri 'none'");
  });
});
