// Whoever uses the console in Russian reads no English: every page, with everything wrong that can be, and each word of it.
import { expect, test, vi } from 'vitest';
import type { ComparisonSession } from '../../src/console/comparison.ts';
import type { HoleCause } from '../../src/engine/coverage.ts';
import { PARKED_CONTACTS, PARKED_ERASURE, parkedOrphans, parkedRow } from '../../src/engine/edit-guard.ts';
import { DIFFERENCE_REASONS, DIFFERENCES } from '../../src/engine/finding.ts';
import type { ObservationSource } from '../../src/engine/object.ts';
import { APPROVAL_KINDS } from '../../src/operate/approvals.ts';
import { CODES_RU } from '../../src/operate/codes/ru.ts';
import { CAUSES_RU, TARGETS_RU } from '../../src/operate/codes/words-ru.ts';
import type { Place } from '../../src/operate/places.ts';
import { latinRuns, latinWords } from '../stand/latin.ts';
import { PATIENCE_MS } from '../stand/patience.ts';
import { formFields, giveUp, observe } from './objects.ts';
import { type ConsoleStand, HOUR_MS, useConsole } from './stand.ts';

const openConsole = useConsole();
const SAID = 'what the worker said of this very case: run `slotbridge status`';
const CALENDAR = 'anna@clinic.example';
const ANNAS: Place = {
  id: 'anna',
  ...{ kind: 'calendar', target: `calendar:${CALENDAR}`, calendarId: CALENDAR },
  ...{ names: ['Анна'], mirrors: ['записи'], entries: ['приём'] },
};
const APPOINTMENT = {
  ...{ id: '0a7c1b52-9d0f-4a34-8f6e-0d9e5c1f7a11', status: 'confirmed', service_name: 'Стрижка' },
  ...{
    starts_at: '2026-11-23T09:00:00Z',
    ends_at: '2026-11-23T09:45:00Z',
    branch_id: 'b1',
    resource_id: 'r1',
  },
  ...{ customer_name: 'Вера Орлова', customer_phone: '+74950001101', updated_at: '2026-11-21T14:00:00Z' },
};
const CODES = Object.keys(CODES_RU);

/** What people read of a page, without what is the same in every language: codes, and what the worker said in English, folded. */
function readable(page: string): readonly string[] {
  const shown = page
    .replaceAll(/<(script|style|svg)\b.*?<\/\1>/gs, ' ')
    .replaceAll(/<details><summary>Подробности.*?<\/details>/gs, ' ')
    .replaceAll(/<a [^>]*lang="en">English<\/a>/g, ' ')
    .replaceAll(/<(code|time)\b[^>]*>.*?<\/\1>/gs, ' ')
    .replaceAll(/<(\w+) class="code(?: small)?"[^>]*>.*?<\/\1>/gs, ' ');
  const attributes = [
    ...shown.matchAll(
      / (?:aria-label|placeholder|title|data-label|data-on|data-off|data-lost-age|alt)="([^"]*)"/g,
    ),
  ];
  return [...attributes.map(([, text = '']) => text), ...shown.split(/<[^>]*>/)].flatMap(
    (text) => text.trim() || [],
  );
}

/** Names of products, settings and of this stand's company. */
const KNOWN = new Set([
  ...[
    'slotbridge',
    'Redis',
    'Google',
    'CalDAV',
    'UID',
    'Request',
    'YAML',
    'CSV',
    'API',
    'UTC',
    'SIGHUP',
    'Public',
    'https',
    'OAuth',
    'Cloud',
    'JSON',
  ],
  ...[
    'where',
    'bookings',
    'blocks',
    'classes',
    'series',
    'timezone',
    'spreadsheets',
    'push',
    'false',
    'removed',
  ],
  ...['staff', 'contacts', 'Contacts', 'office', 'private'],
]);

const english = (page: string) =>
  readable(page.replaceAll('Anna, Arbat', ' ')).filter(
    (text) => latinRuns(text).length > 0 || latinWords(text).some((word) => !KNOWN.has(word)),
  );

test('every page of the console is Russian, whatever is wrong and whatever people did', async () => {
  const stand = await openConsole({
    parts: ({ places }) => ({
      ...{ language: 'ru', openAudit: async () => audit },
      places: { ...places, all: [ANNAS] },
    }),
  });
  await everythingWrong(stand);
  const browser = await stand.signIn('ops', 'Борис');
  const seen: (readonly [path: string, texts: readonly string[]])[] = [];
  const look = async (path: string, by = browser) => {
    const { text } = await by.get(path);
    expect([path, text.includes('<html lang="ru">')]).toEqual([path, true]);
    seen.push([path, english(text)]);
    // What is to be typed stands in `<code>`.
    expect([path, text.match(/.{0,60}`/)]).toEqual([path, null]);
    return text;
  };
  /** Fills in the form of the page, with a reason. */
  const confirm = async (page: string, to: string, more = {}) =>
    browser.post(to, { ...formFields(await look(page)), why: 'так и надо', ...more });
  const approvals = await look('/console/approvals');
  const asked = [...approvals.matchAll(/href="(\/console\/approvals\/allow\?[^"]+)"/g)];
  expect(asked).toHaveLength(APPROVAL_KINDS.length);
  for (const [, path = ''] of asked)
    await confirm(path.replaceAll(/&(?:amp|#38);/g, '&'), '/console/approvals/allow', {
      ...(path.includes('edits') && { verdict: 'decline' }),
    });
  await confirm('/console/letters/retry?code=template-failed', '/console/letters/retry');
  await confirm('/console/letters/discard?code=booked-twice&place=platform', '/console/letters/discard');
  const lists = { list: 'appointment', from: '2026-11-20', force: 'yes', why: 'так и надо' };
  expect((await browser.post('/console/again/resync', lists)).status).toBe(303);
  // The journal goes by the clock of Redis.
  stand.clock.advance(Math.max(0, Date.now() - stand.clock.now()) + 1_000);
  const replayed = await confirm(
    '/console/again/replay?span=30d&type=appointment.*',
    '/console/again/replay',
  );
  expect(replayed.status).toBe(303);
  await browser.post('/console/compare', { why: 'так и надо' });
  const compared = async (text: string) => expect(await look('/console/compare')).toContain(text);
  await vi.waitFor(() => compared('Сверено: 1 объект, сейчас контакты'), { timeout: PATIENCE_MS });
  release();
  await vi.waitFor(() => compared(`${DIFFERENCES.length * DIFFERENCE_REASONS.length} расхожд`), {
    timeout: PATIENCE_MS,
  });
  const found = await browser.post('/console/search', { q: 'Вера' });
  expect(found.text).toContain('Вера Орлова');
  seen.push(['what was found', english(found.text)]);
  for (const path of [
    ...[
      '/console',
      '/console/webhooks',
      '/console/places',
      '/console/place/anna',
      '/console/changes',
      '/console/letters',
      '/console/approvals',
      '/console/again',
    ],
    ...['/console/compare', '/console/acts', '/console/search', '/console/sign-in'],
    ...[`/console/object/appointment/${APPOINTMENT.id}`, '/console/object/contact/unheard-of'],
  ])
    await look(path);
  const viewer = await stand.signIn('viewer', 'Анна');
  for (const path of ['/console/acts', '/console/object/nonsense']) await look(path, viewer);
  expect(seen.filter(([, texts]) => texts.length > 0)).toEqual([]);
});

let release: () => void;
const released = new Promise<void>((done) => {
  release = done;
});
const audit: ComparisonSession = {
  auditCost: async () => ({ platform: 700, minutes: 15 }),
  async audit({ tell, progress }) {
    progress({ reading: 'contact', objects: 1 });
    await released;
    for (const what of DIFFERENCES)
      for (const why of DIFFERENCE_REASONS)
        tell({
          what,
          why,
          key: `appointment/${APPOINTMENT.id}`,
          mirror: 'записи',
          place: `calendar:${CALENDAR}`,
        });
    return {
      ...{ objects: 7, standing: 5, standingIn: new Map(), unjudged: new Map() },
      unread: new Map([[`calendar:${CALENDAR}`, 'calendar-not-shared']]),
    };
  },
  close: async () => undefined,
};

async function everythingWrong(stand: ConsoleStand): Promise<void> {
  const { stores, store, clock } = stand;
  clock.advance(Date.now() - clock.now());
  const nowMs = clock.now();
  const since = { sinceMs: nowMs - HOUR_MS, lastAtMs: nowMs };
  const told = { message: SAID, advice: SAID, ...since };
  stores.problems = [
    ...CODES.map((code) => ({ target: 'platform', code, ...told })),
    ...Object.keys(TARGETS_RU).map((target) => ({ target: `${target}:1`, code: 'tab-not-found', ...told })),
  ];
  stores.letters = CODES.map((code) => ({
    ...{ key: `appointment/${code}`, atMs: nowMs, attempts: 1 },
    reasons: [{ mirror: 'записи', code, message: SAID }],
  }));
  stores.pending = { objects: 7, oldestSinceMs: nowMs - HOUR_MS };
  stores.rows = [{ spreadsheetId: 'x', rows: 3 }];
  stores.calendarIds = [CALENDAR];
  stores.holes = Object.keys(CAUSES_RU).map((cause, at) => ({
    ...{ id: `h${at}`, source: 'feed', fromMs: undefined, toMs: undefined },
    ...{ cause: cause as HoleCause, foundAtMs: nowMs - 48 * HOUR_MS },
  }));
  const quota = {
    target: undefined,
    spent: 1,
    admitted: 400,
    limit: 600,
    reason: 'rateLimitExceeded',
    waiting: 3,
  };
  stores.quotas = ['google-calendar:k1', 'google-sheets-read:k1', 'google-sheets-write:k1'].map((name) => ({
    ...{ ...quota, name, pausedUntilMs: nowMs + 60_000 },
  }));
  stores.platformBudget = { limit: 600, left: 450, renewedInMs: 19_500, pausedForMs: 0 };
  for (const purpose of ['live', 'catch-up', 'list'] as const) stand.usage.add('google-calendar:k1', purpose);

  const key = { kind: 'appointment', id: 'heard-of' } as const;
  const heard = { eventId: 'event-1', eventType: 'appointment.updated' };
  const seen = { as: 'snapshot', snapshot: { ...APPOINTMENT, id: key.id } } as const;
  await store.intake.observe({ key, source: 'feed', occurredAtMs: nowMs, seen, ...heard });
  const claim = await observe(stand, 'appointment', APPOINTMENT);
  const name = `appointment/${APPOINTMENT.id}`;
  for (const code of CODES) {
    store.history.note(name, { what: 'acted', atMs: nowMs, by: 'staff-edit', code, ids: { reason: code } });
    store.history.note(name, {
      ...{ what: 'failed', atMs: nowMs, attempt: 3, next: 'done' },
      reasons: [{ mirror: 'записи', code }],
    });
  }
  const vias = ['webhook', 'feed', 'list', 'calendar', 'sheet', 'operator'] satisfies ObservationSource[];
  for (const via of vias)
    store.history.note(name, { what: 'seen', atMs: nowMs, via, occurredAtMs: nowMs, outcome: 'fresh' });
  store.history.note(name, { what: 'mirrored', atMs: nowMs, rev: 3, actions: { записи: 'created' } });
  const lost = { calendarId: CALENDAR, fields: 'attendees conferenceData' };
  store.history.note(name, { what: 'acted', atMs: nowMs, by: 'worker', code: 'fields-lost', ids: lost });
  await giveUp(stand, claim, { mirror: 'записи', code: 'template-failed', message: SAID });
  for (const [at, code] of CODES.entries()) {
    const other = await observe(stand, 'appointment', { ...APPOINTMENT, id: `a-${at}` });
    await giveUp(stand, other, { mirror: 'записи', code, message: SAID, advice: SAID, target: 'platform' });
  }
  for (let at = 0; at < 6; at += 1) {
    const other = await observe(stand, 'appointment', { ...APPOINTMENT, id: `d-${at}` });
    const target = `calendar:${CALENDAR}`;
    await giveUp(stand, other, { mirror: 'записи', code: 'mass-deletion', message: SAID, target });
  }
  const { memory } = store;
  await memory.set(parkedOrphans('spreadsheet:x/y'), JSON.stringify({ count: 9, atMs: nowMs }));
  await memory.set(`${PARKED_ERASURE}contact/a`, String(nowMs));
  const walk = { id: 'w', startedAtMs: nowMs };
  await memory.set(PARKED_CONTACTS, JSON.stringify({ walk, missed: 412, known: 1_000 }));
  for (const kind of ['edits', 'bookings'] as const)
    await memory.set(
      parkedRow({ kind, place: 'office', key: 'contact/a' }),
      JSON.stringify({ atMs: nowMs, of: '' }),
    );
  await memory.set(
    'block-report anna',
    JSON.stringify({ rule: 'private', atMs: nowMs, standing: 0, refused: [], held: 12, unread: 0 }),
  );
}
