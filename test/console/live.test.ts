import { type IncomingMessage, request } from 'node:http';
import { expect, test } from 'vitest';
import { OpenPage } from '../../src/console/live.ts';
import { useConsole } from './stand.ts';
import { openStream, until } from './stream.ts';

const openConsole = useConsole();

/** Opens the stream; resolves with its answer and what has come so far. */
function listen(
  url: string,
  cookie: string,
  query = 'about=all',
): Promise<{ answer: IncomingMessage; text: () => string }> {
  return new Promise((done, fail) => {
    const sent = request(`${url}/console/live?${query}`, { headers: { cookie } }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      done({ answer, text: () => text });
    });
    sent.on('error', fail).end();
  });
}

test('the stream of a page says that something changed, and nothing of what', async () => {
  const stand = await openConsole();
  const { token } = await stand.signIn('viewer');
  const { answer, text } = await listen(stand.url, `slotbridge_console=${token}`);
  expect([answer.statusCode, answer.headers['content-type']]).toEqual([200, 'text/event-stream']);
  expect(answer.headers).toMatchObject({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' });
  await until(() => text().includes('changed'));
  expect(text()).toBe('retry: 2000\n\nevent: changed\ndata: 1\n\n');
  answer.destroy();
});

test('windows of a browser share a stream: it says for which an event is, also when all have news at once', async () => {
  const stand = await openConsole();
  const { token } = await stand.signIn('viewer', 'vera');
  const windows = ['about=all', 'key=appointment/a', 'about=runs', 'about=changes&after=0-0.0', 'about=all'];
  const query = windows.map((each) => `window=${encodeURIComponent(each)}`).join('&');
  const { answer, text } = await listen(stand.url, `slotbridge_console=${token}`, query);
  const toldAs = (name: string) =>
    [...text().matchAll(/event: window\ndata: (\d)\n\n(?:id: .*\n)?event: (\w+)\n/g)]
      .filter(([, , event]) => event === name)
      .map(([, at]) => Number(at))
      .sort();
  await until(() => toldAs('changed').length === 4 && toldAs('rows').length === 1);
  expect([toldAs('changed'), toldAs('rows')]).toEqual([[0, 1, 2, 4], [3]]);
  const ended = new Promise<boolean>((done) => answer.on('end', () => done(answer.complete)));
  await stand.close();
  expect(await ended).toBe(true);
});

test('without a session there is no stream', async () => {
  const stand = await openConsole();
  const { answer } = await listen(stand.url, 'slotbridge_console=made-up');
  expect(answer.statusCode).toBe(401);
  answer.destroy();
});

test('pages that were left while their session was looked up take no place from others', async () => {
  let goOn = () => {};
  const gone = new Promise<void>((done) => {
    goOn = done;
  });
  let asked = 0;
  const stand = await openConsole({
    parts: ({ access }) => ({
      access: new Proxy(access, {
        get:
          (target, name: keyof typeof access) =>
          async (...given: never) => {
            const answer: unknown = await (target[name] as (...given: never) => unknown).apply(target, given);
            if (name !== 'session') return answer;
            asked += 1;
            await gone;
            return answer;
          },
      }),
    }),
  });
  const { token } = await stand.signIn('viewer');
  const headers = { cookie: `slotbridge_console=${token}` };
  const left = ['all', 'changes'].flatMap((about) =>
    Array.from({ length: 50 }, () =>
      request(`${stand.url}/console/live?about=${about}`, { headers, agent: false })
        .on('error', () => undefined)
        .end(),
    ),
  );
  await until(() => asked === left.length);
  for (const each of left) each.destroy();
  // The server handles these after it has seen the others end.
  for (let times = 0; times < 3; times += 1) await stand.browser().get('/healthz');
  goOn();
  const { answer } = await listen(stand.url, headers.cookie);
  expect(answer.statusCode).toBe(200);
  answer.destroy();
});

test('a stopping worker ends the streams, instead of waiting for them', async () => {
  const stand = await openConsole();
  const { token } = await stand.signIn('viewer');
  const { answer } = await listen(stand.url, `slotbridge_console=${token}`);
  const ended = new Promise<boolean>((done) => answer.on('end', () => done(answer.complete)));
  await stand.close();
  expect(await ended).toBe(true);
});

test('while one event waits to be taken no other follows it, and whoever takes none for long is let go', async () => {
  const { stream, raw, close } = await openStream();
  const page = new OpenPage(stream, undefined);
  await until(() => raw.writableLength === 0);
  expect(page.tell()).toBe(true);
  // Nothing leaves: as if the other side took nothing.
  raw.cork();
  raw.write(':');
  const waiting = raw.writableLength;
  for (let looks = 0; looks < 30; looks += 1) expect(page.tell()).toBe(false);
  expect([raw.writableLength, raw.destroyed]).toEqual([waiting, false]);
  page.tell();
  expect(raw.destroyed).toBe(true);
  await close();
});

test('P9: one session has twelve streams at most, and takes no place from others', async () => {
  const stand = await openConsole();
  const [greedy, other] = [await stand.signIn('viewer', 'vera'), await stand.signIn('ops', 'anna')];
  const opened = await Promise.all(
    Array.from({ length: 100 }, () => listen(stand.url, `slotbridge_console=${greedy.token}`)),
  );
  const codes = opened.map(({ answer }) => answer.statusCode);
  expect([codes.filter((code) => code === 200).length, codes.filter((code) => code === 503).length]).toEqual([
    12, 88,
  ]);
  const others = await listen(stand.url, `slotbridge_console=${other.token}`);
  expect(others.answer.statusCode).toBe(200);
  for (const { answer } of [...opened, others]) answer.destroy();
  let code: number | undefined;
  while (code !== 200) {
    const { answer } = await listen(stand.url, `slotbridge_console=${greedy.token}`);
    code = answer.statusCode;
    answer.destroy();
  }
});
