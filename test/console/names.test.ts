// Lists name objects as people know them: by customer and hour, from what the worker stores anyway.
import { request } from 'node:http';
import { expect, test, vi } from 'vitest';
import { withClaims } from '../../src/console/changes.ts';
import type { Change } from '../../src/engine/changes.ts';
import { double } from '../stand/double.ts';
import { PATIENCE_MS } from '../stand/patience.ts';
import { giveUp, observe, VERA } from './objects.ts';
import { type Browser, type ConsoleStand, useConsole } from './stand.ts';
import { until } from './stream.ts';

const openConsole = useConsole();
const NAME = `appointment/${VERA.id}`;
const SUMMARY = {
  ...{ objects: 1, standing: 1, standingIn: new Map(), unjudged: new Map(), unread: new Map() },
};

async function standWithVera(): Promise<ConsoleStand> {
  const stand = await openConsole({
    parts: () => ({
      openAudit: async () => ({
        async audit({ tell }) {
          tell({ what: 'missing', why: 'unknown', key: NAME, mirror: 'staff', place: 'calendar:a' });
          return SUMMARY;
        },
        close: async () => undefined,
      }),
    }),
  });
  const claim = await observe(stand, 'appointment', { ...VERA, branch_id: 'b1' });
  await giveUp(stand, claim, { mirror: 'staff', code: 'template-failed', message: 'm' });
  const ops = await stand.signIn('ops', 'boris');
  await ops.post('/console/compare', { why: 'weekend' });
  await vi.waitFor(async () => expect(await rowsOf(ops, '/console/compare')).not.toBe(''), {
    timeout: PATIENCE_MS,
  });
  return stand;
}

/** The text of the table, or of the list that a confirmation shows. */
async function rowsOf(browser: Browser, path: string): Promise<string> {
  const { text } = await browser.get(path);
  const [, rows = ''] =
    /<tbody[^>]*>(.*)<\/tbody>/s.exec(text) ?? /<ul class="plain small">(.*?)<\/ul>/s.exec(text) ?? [];
  return rows.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ');
}

test.each([
  ['/console/changes', 'desk'],
  ['/console/letters', 'desk'],
  ['/console/letters/retry', 'ops'],
  ['/console/compare', 'desk'],
] as const)('%s says whose the object is and when, to those who may see it', async (path, role) => {
  const stand = await standWithVera();
  const shown = await rowsOf(await stand.signIn(role), path);
  expect(shown).toMatch(/Appointment, Vera Orlova Mon 23 Nov.*, 12:00 0a7c1b52/);
  if (role === 'ops') return;
  const hidden = await rowsOf(await stand.signIn('viewer'), path);
  expect(hidden).toMatch(/Appointment Mon 23 Nov.*, 12:00 0a7c1b52/);
  expect(hidden).not.toMatch(/Vera|Orlova|495000/);
});

test.each([
  ['desk', /Appointment, Vera Orlova</],
  ['viewer', /Appointment</],
] as const)('a change that comes to an open page of %s is named in the same way', async (role, name) => {
  const stand = await standWithVera();
  const browser = await stand.signIn(role);
  const after = /after=([\d.-]+)/.exec((await browser.get('/console/changes')).text)?.[1];
  const headers = { cookie: `slotbridge_console=${browser.token}` };
  let text = '';
  const sent = request(`${stand.url}/console/live?about=changes&after=${after}`, { headers }, (answer) => {
    answer.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
    answer.on('error', () => undefined);
  });
  sent.on('error', () => undefined).end();
  const change = {
    what: 'mirrored',
    atMs: stand.clock.now(),
    rev: 7,
    actions: { staff: 'updated' },
  } as const;
  stand.store.history.note(NAME, change);
  await until(() => text.includes('version 7'));
  expect(text).toMatch(name);
  if (role === 'viewer') expect(text).not.toContain('Vera');
  sent.destroy();
});

test('however much happens at once, at most 200 objects are read for it: those that changed last', async () => {
  const read: string[] = [];
  const peek = async ({ id }: { readonly id: string }) => {
    read.push(id);
    return undefined;
  };
  const changes = Array.from(
    { length: 1_200 },
    (_, nth): Change => ({
      at: { id: `${nth}-0`, nth },
      key: `contact/c-${nth % 600}`,
      entry: { what: 'mirrored', atMs: nth, rev: nth, actions: {} },
    }),
  );
  const told = await withClaims({ story: double({ view: double({ peek }) }) }, changes);
  expect(told.map(({ at }) => at)).toEqual(changes.map(({ at }) => at));
  expect(read.toSorted()).toEqual(Array.from({ length: 200 }, (_, nth) => `c-${400 + nth}`));
});
