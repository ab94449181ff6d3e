import { beforeEach, expect, test } from 'vitest';
import {
  type HeldKind,
  holdsApproval,
  PARKED_CONTACTS,
  PARKED_ERASURE,
  PARKED_MISSED,
  parkedOrphans,
  parkedRow,
  readApproval,
} from '../../src/engine/edit-guard.ts';
import { approveParked, waitingApprovals } from '../../src/operate/approvals.ts';
import { formFields, giveUp, observe, VERA } from './objects.ts';
import { type Browser, type ConsoleStand, HOUR_MS, useConsole } from './stand.ts';

const openConsole = useConsole();
const ANNA = 'anna.petrova@clinic.example';
const DELETIONS = `approved-deletions:${ANNA}`;

let stand: ConsoleStand;
let browser: Browser;
beforeEach(async () => {
  stand = await openConsole();
  browser = await stand.signIn('ops', 'boris');
});

/** So many appointments whose events people deleted at once. */
async function deleted(count: number, code = 'mass-deletion', from = 0): Promise<readonly string[]> {
  const ids = Array.from({ length: count }, (_, at) => `appointment-${code}-${from + at}`);
  const target = code === 'mail-storm' ? 'platform' : `calendar:${ANNA}`;
  for (const id of ids) {
    const claim = await observe(stand, 'appointment', { ...VERA, id });
    await giveUp(stand, claim, { mirror: 'staff', code, message: 'many at once', target });
  }
  return ids.map((id) => `appointment/${id}`);
}

const parkOrphans = (place: string, count: number) =>
  stand.store.memory.set(parkedOrphans(place), JSON.stringify({ count, atMs: stand.clock.now() - HOUR_MS }));

const CONTACTS = 'approved-deletions:contacts';

/** `missed`: how many a walk missed, of whom these are listed. */
async function parkContacts(members: readonly string[], missed = members.length): Promise<void> {
  const walk = { id: 'w', startedAtMs: stand.clock.now() - 2 * HOUR_MS };
  await stand.store.memory.set(PARKED_MISSED, JSON.stringify(members));
  await stand.store.memory.set(PARKED_CONTACTS, JSON.stringify({ walk, missed, known: 1_000 }));
}

const KINDS = [
  [CONTACTS, 'contacts'],
  ['approved-mails', 'mails'],
  ['approved-orphans:', 'orphans'],
  ['approved-erasures', 'erasures'],
  ['approved-blocks:', 'blocks'],
] as const;
const kindOf = (name: string) => KINDS.find(([begin]) => name.startsWith(begin))?.[1] ?? 'deletions';

const hold = (held: number, { resource = 'anna', unread = 0 } = {}) =>
  stand.store.memory.set(
    `block-report ${resource}`,
    JSON.stringify({ rule: 'private', atMs: stand.clock.now(), standing: 0, refused: [], held, unread }),
  );

async function confirm(name: string, by = browser): Promise<Record<string, string>> {
  const page = await by.get(`/console/approvals/allow?${new URLSearchParams({ name, kind: kindOf(name) })}`);
  expect(page.status).toBe(200);
  return formFields(page.text);
}

const memoryOf = async (name: string) => readApproval(await stand.store.memory.get(name)).untilMs;

test('nothing waits, and the page says so', async () => {
  expect((await browser.get('/console/approvals')).text).toContain('Nothing is waiting for approval');
});

test('what waits is shown with its number, its place, its age and what would happen', async () => {
  await deleted(6);
  await deleted(2, 'mail-storm');
  await parkOrphans('spreadsheet:office/Visits', 9);
  const walk = { id: 'w', startedAtMs: stand.clock.now() - 2 * HOUR_MS };
  await stand.store.memory.set(PARKED_CONTACTS, JSON.stringify({ walk, missed: 412, known: 1_000 }));
  const { text } = await browser.get('/console/approvals');
  for (const told of [
    '6 appointments would be cancelled',
    ANNA,
    '2 changes would be mailed to customers',
    '9 events and rows would be removed',
    'spreadsheet:office/Visits',
    '412 contacts would be checked on the platform',
    'of 1,000 that are known',
    'stopped 2 h ago',
  ])
    expect(text).toContain(told);
});

test('whoever approves deletions sees whose they are, and gives exactly those a turn', async () => {
  const keys = await deleted(6);
  await deleted(2, 'mail-storm');
  const page = await browser.get(
    `/console/approvals/allow?name=${encodeURIComponent(DELETIONS)}&kind=deletions`,
  );
  expect(page.text).toContain('Vera Orlova');
  const fields = formFields(page.text);
  expect(fields).toEqual({
    ...{ name: DELETIONS, kind: 'deletions', count: '6' },
    digest: expect.stringMatching(/^[0-9a-f]{64}$/),
  });
  const answer = await browser.post('/console/approvals/allow', { ...fields, why: 'Anna has left' });
  expect(answer.status).toBe(303);
  expect(await memoryOf(DELETIONS)).toBe(stand.clock.now() + HOUR_MS);
  expect([...stand.queued].sort()).toEqual([...keys].sort());
  expect(await stand.store.deadLetters.all()).toHaveLength(2);
  expect(await stand.store.memory.get('approved-mails')).toBeUndefined();
  const after = await browser.get(String(answer.headers['location']));
  expect(after.text).toContain('Approved until');
  expect(after.text).not.toContain('would be cancelled');
  expect((await stand.store.acts.newest(1))[0]).toMatchObject({
    ...{ who: 'boris', what: 'approved', why: 'Anna has left', chosen: 6, done: 6 },
    about: { approval: DELETIONS, objects: expect.stringMatching(/^(?:appointment\/[\w-]+(?:, |$)){6}$/) },
  });
});

test.each([
  ['mails', 'approved-mails', () => deleted(3, 'mail-storm')],
  ['orphans', 'approved-orphans:calendar:x', () => parkOrphans('calendar:x', 9)],
  ['blocks', 'approved-blocks:private', () => hold(12)],
])('%s pass for an hour', async (_, name, park) => {
  await park();
  const fields = await confirm(name);
  expect((await browser.post('/console/approvals/allow', { ...fields, why: 'meant' })).status).toBe(303);
  expect(await memoryOf(name)).toBe(stand.clock.now() + HOUR_MS);
});

test('held blocks of all people of an entry are one card, and those that were never read are none', async () => {
  await hold(12);
  await hold(3, { resource: 'boris' });
  await hold(5, { resource: 'new', unread: 1 });
  const { text } = await browser.get('/console/approvals');
  expect(text).toContain('15 blocks would be cancelled');
  expect(text).toContain('private');
});

test('P7: contacts to be erased are approved as the page showed them, and none that is deleted later', async () => {
  const park = (id: string) =>
    stand.store.memory.set(`${PARKED_ERASURE}contact/${id}`, String(stand.clock.now()));
  await park('a');
  await park('b');
  const fields = await confirm('approved-erasures');
  expect(fields['count']).toBe('2');
  stand.clock.advance(1_000);
  const answer = await browser.post('/console/approvals/allow', { ...fields, why: 'meant' });
  expect([answer.status, answer.headers['location']]).toEqual([303, '/console/approvals']);
  expect((await browser.get('/console/approvals')).text).toContain('Nothing is waiting');
  await park('c');
  expect((await browser.get('/console/approvals')).text).toContain('1 contact would be erased everywhere');
  const again = await confirm('approved-erasures');
  await park('d');
  const late = await browser.post('/console/approvals/allow', { ...again, why: 'meant' });
  expect([late.status, late.text.includes('Nothing was done')]).toEqual([409, true]);
});

test.each([`calendar:${ANNA}`, 'tab:visits', 'platform'])(
  'the letters of what waits are shown, whether events were deleted, rows ticked or mails held: %s',
  async (target) => {
    const code = target === 'platform' ? 'mail-storm' : 'mass-deletion';
    const claim = await observe(stand, 'appointment', VERA);
    await giveUp(stand, claim, { mirror: 'staff', code, message: 'many at once', target });
    const { text } = await browser.get('/console/approvals');
    const [, link = ''] = /href="(\/console\/letters\?[^"]+)"/.exec(text) ?? [];
    const shown = await browser.get(link.replaceAll('&#38;', '&').replaceAll('&amp;', '&'));
    expect(shown.text).toContain(`appointment/${VERA.id}`);
  },
);

test('what is approved and still waits says until when', async () => {
  await parkOrphans('calendar:x', 9);
  const fields = await confirm('approved-orphans:calendar:x');
  await browser.post('/console/approvals/allow', { ...fields, why: 'meant' });
  expect((await browser.get('/console/approvals')).text).toContain('approved until');
});

test('two people who approve the same: one does it, the other reads that it does not wait any more', async () => {
  const keys = await deleted(6);
  const other = await stand.signIn('ops', 'anna');
  const [his, hers] = [await confirm(DELETIONS), await confirm(DELETIONS, other)];
  const first = await browser.post('/console/approvals/allow', { ...his, why: 'meant' });
  const second = await other.post('/console/approvals/allow', { ...hers, why: 'meant' });
  expect([first.status, second.status]).toEqual([303, 200]);
  expect(second.text).toContain('That is no longer waiting');
  expect([...stand.queued].sort()).toEqual([...keys].sort());
  const acts = (await stand.store.acts.newest(9)).filter(({ what }) => what === 'approved');
  expect(acts.map(({ who }) => who)).toEqual(['boris']);
});

test('more than the page showed: nothing is approved', async () => {
  await deleted(6);
  const fields = await confirm(DELETIONS);
  await deleted(1, 'mass-deletion', 6);
  const answer = await browser.post('/console/approvals/allow', { ...fields, why: 'meant' });
  expect([answer.status, answer.text.includes('Nothing was done')]).toEqual([409, true]);
  expect(await stand.store.memory.get(DELETIONS)).toBeUndefined();
});

test.each([
  ['no reason', { why: ' ' }, 409],
  ['no count', { why: 'meant', count: '' }, 409],
  ['another name of the memory', { why: 'meant', name: 'mapping-hash' }, 200],
  ['another kind than the page showed', { why: 'meant', kind: 'contacts' }, 200],
  ['a calendar in which nothing waits', { why: 'meant', name: 'approved-deletions:*' }, 200],
])('%s: nothing is approved', async (_, wrong, status) => {
  await deleted(6);
  const before = [...(await stand.store.memory.all('approved-'))];
  const hash = await stand.store.memory.get('mapping-hash');
  const fields = { ...(await confirm(DELETIONS)), ...wrong };
  const answer = await browser.post('/console/approvals/allow', fields);
  expect(answer.status).toBe(status);
  expect([...(await stand.store.memory.all('approved-'))]).toEqual(before);
  expect(await stand.store.memory.get('mapping-hash')).toBe(hash);
  expect(stand.queued).toEqual([]);
});

test('a viewer sees what waits, and neither whose it is nor how to approve it', async () => {
  await deleted(6);
  const viewer = await stand.signIn('viewer');
  const { text } = await viewer.get('/console/approvals');
  expect(text).toContain('6 appointments would be cancelled');
  expect(text).not.toMatch(/anna\.petrova|Vera|approvals\/allow/);
  expect((await viewer.get('/console/approvals/allow')).status).toBe(403);
});

test('what a command parked and nobody ran again is shown for a week', async () => {
  await parkOrphans('calendar:x', 9);
  stand.clock.advance(8 * 24 * HOUR_MS);
  browser = await stand.signIn('ops');
  expect((await browser.get('/console/approvals')).text).toContain('Nothing is waiting');
});

test.each([
  [
    'approved-erasures',
    async (id: string) => {
      await stand.store.memory.set(`${PARKED_ERASURE}contact/${id}`, String(stand.clock.now()));
      return `contact/${id}`;
    },
    async (id: string) => stand.store.memory.forget(`${PARKED_ERASURE}contact/${id}`),
  ],
  [
    CONTACTS,
    async (id: string) => {
      const text = await stand.store.memory.get(PARKED_MISSED);
      await parkContacts([...(JSON.parse(text ?? '[]') as string[]), `contact/${id}`]);
      return `contact/${id}`;
    },
    async (id: string) => {
      const text = (await stand.store.memory.get(PARKED_MISSED)) ?? '[]';
      await parkContacts((JSON.parse(text) as string[]).filter((each) => each !== `contact/${id}`));
    },
  ],
  [
    DELETIONS,
    async (id: string) => {
      const claim = await observe(stand, 'appointment', { ...VERA, id });
      const target = `calendar:${ANNA}`;
      await giveUp(stand, claim, { mirror: 'staff', code: 'mass-deletion', message: 'm', target });
      return `appointment/${id}`;
    },
    async (id: string) => {
      for (const letter of await stand.store.deadLetters.ofObject(`appointment/${id}`))
        await stand.store.deadLetters.discard(letter, 'other');
    },
  ],
] as const)(
  'P7: %s: one that took the place of another since the page was shown is not approved, but shown anew',
  async (name, join, leave) => {
    const first = [await join('a'), await join('b')];
    const path = `/console/approvals/allow?${new URLSearchParams({ name, kind: kindOf(name) })}`;
    const page = (await browser.get(path)).text;
    for (const key of first) expect(page).toContain(key);
    const fields = formFields(page);
    await leave('a');
    const joined = await join('c');
    const answer = await browser.post('/console/approvals/allow', { ...fields, why: 'meant' });
    expect(answer.status).toBe(409);
    expect(answer.text).toContain(joined);
    expect(await stand.store.memory.get(name)).toBeUndefined();
    expect((await browser.get('/console/approvals')).text).not.toContain('Nothing is waiting');
  },
);

test('P7: of contacts that a walk missed, exactly those that the page lists are approved', async () => {
  const members = Array.from({ length: 25 }, (_, at) => `contact/gone-${at}`);
  await parkContacts(members, 28);
  expect((await browser.get('/console/approvals')).text).toContain('28 contacts would be checked');
  const path = `/console/approvals/allow?${new URLSearchParams({ name: CONTACTS, kind: 'contacts' })}`;
  const page = (await browser.get(path)).text;
  expect(members.filter((key) => page.includes(`/console/object/${key}"`))).toEqual(members);
  expect(page).toContain('25 contacts would be checked');
  expect(page).toContain('3 more wait: approve them after these.');
  const answer = await browser.post('/console/approvals/allow', { ...formFields(page), why: 'meant' });
  expect(answer.status).toBe(303);
  const approval = readApproval(await stand.store.memory.get(CONTACTS));
  expect(approval).toEqual({ untilMs: stand.clock.now() + HOUR_MS, members });
  expect((await browser.get('/console/approvals')).text).not.toContain('approved until');
});

test('P7: a deletion that joins within the approved hour waits for its own approval', async () => {
  const [first = ''] = await deleted(6);
  const fields = await confirm(DELETIONS);
  expect((await browser.post('/console/approvals/allow', { ...fields, why: 'meant' })).status).toBe(303);
  const approval = await stand.store.memory.get(DELETIONS);
  const nowMs = stand.clock.now();
  expect(holdsApproval(approval, nowMs, first)).toBe(true);
  expect(holdsApproval(approval, nowMs, 'appointment/late')).toBe(false);
  expect(holdsApproval(String(nowMs + 1_000), nowMs, 'appointment/late')).toBe(true);
});

test('P7: of more deletions than one page shows, exactly those shown are approved, and the others wait', async () => {
  const keys = await deleted(503);
  expect((await browser.get('/console/approvals')).text).toContain('503 appointments would be cancelled');
  const path = `/console/approvals/allow?${new URLSearchParams({ name: DELETIONS, kind: 'deletions' })}`;
  const page = (await browser.get(path)).text;
  expect(page).toContain('500 appointments would be cancelled');
  expect(page).toContain('3 more wait: approve them after these.');
  const shown = keys.filter((key) => page.includes(`/console/object/${key}"`));
  const answer = await browser.post('/console/approvals/allow', { ...formFields(page), why: 'meant' });
  expect([answer.status, shown.length]).toEqual([303, 500]);
  expect([...stand.queued].sort()).toEqual([...shown].sort());
  const approval = await stand.store.memory.get(DELETIONS);
  const approved = keys.filter((key) => holdsApproval(approval, stand.clock.now(), key));
  expect(approved).toEqual(shown);
  const after = (await browser.get('/console/approvals')).text;
  expect(after).toContain('3 appointments would be cancelled');
  expect(after).not.toContain('approved until');
  const fields = await confirm(DELETIONS);
  expect((await browser.post('/console/approvals/allow', { ...fields, why: 'meant' })).status).toBe(303);
  expect([...stand.queued].sort()).toEqual([...keys].sort());
  // The turns of those that were approved first may be still to come.
  const both = await stand.store.memory.get(DELETIONS);
  expect(keys.filter((key) => !holdsApproval(both, stand.clock.now(), key))).toEqual([]);
});

test('more deletions than a page shows, all approved by the command, say until when, and one that joined waits', async () => {
  await deleted(503);
  const { memory, deadLetters } = stand.store;
  const [waiting] = await waitingApprovals({ memory, deadLetters, clock: stand.clock });
  if (waiting === undefined) throw new Error('nothing waits');
  await approveParked({ memory, clock: stand.clock }, waiting);
  expect((await browser.get('/console/approvals')).text).toContain('approved until');
  await deleted(1, 'mass-deletion', 503);
  expect((await browser.get('/console/approvals')).text).not.toContain('approved until');
});

test('all mails that wait get a turn by one approval, also those that the page did not name', async () => {
  const keys = await deleted(503, 'mail-storm');
  const fields = await confirm('approved-mails');
  expect(fields['count']).toBe('503');
  expect((await browser.post('/console/approvals/allow', { ...fields, why: 'meant' })).status).toBe(303);
  expect([...stand.queued].sort()).toEqual([...keys].sort());
  expect((await stand.store.acts.newest(1))[0]).toMatchObject({ chosen: 503, done: 503 });
});

test('deletions that came back within their approved hour say until when, and one that joined waits', async () => {
  await deleted(6);
  const fields = await confirm(DELETIONS);
  await browser.post('/console/approvals/allow', { ...fields, why: 'meant' });
  await deleted(6);
  expect((await browser.get('/console/approvals')).text).toContain('approved until');
  await deleted(1, 'mass-deletion', 6);
  expect((await browser.get('/console/approvals')).text).not.toContain('approved until');
});

test('orphans are listed by the members that the command parked, and exactly these are approved', async () => {
  const place = 'calendar:x';
  const members = Array.from({ length: 23 }, (_, at) => `appointment/orphan-${at}`);
  const park = (own: readonly string[]) =>
    stand.store.memory.set(
      parkedOrphans(place),
      JSON.stringify({ count: own.length, atMs: stand.clock.now() - HOUR_MS, members: own }),
    );
  const name = `approved-orphans:${place}`;
  await park(members.slice(1));
  const path = `/console/approvals/allow?${new URLSearchParams({ name, kind: 'orphans' })}`;
  const page = (await browser.get(path)).text;
  const listed = members.filter((key) => page.includes(`/console/object/${key}"`));
  expect(listed).toEqual(members.slice(1));
  await park(members.slice(0, 22));
  const late = await browser.post('/console/approvals/allow', { ...formFields(page), why: 'meant' });
  expect([late.status, await stand.store.memory.get(name)]).toEqual([409, undefined]);
  expect(late.text).toContain(`/console/object/${members[0]}"`);
  const answer = await browser.post('/console/approvals/allow', { ...formFields(late.text), why: 'meant' });
  expect(answer.status).toBe(303);
  const approval = await stand.store.memory.get(name);
  const approved = members.filter((key) => holdsApproval(approval, stand.clock.now(), key));
  expect(approved).toEqual(members.slice(0, 22));
});

test('all objects are named, also when they are many', async () => {
  const keys = await deleted(45);
  const params = new URLSearchParams({ name: DELETIONS, kind: 'deletions' });
  const { text } = await browser.get(`/console/approvals/allow?${params}`);
  for (const key of keys) expect(text).toContain(key);
});

test.each([
  ['edits', 'approved', 'Edits of 2 rows would go to the platform'],
  ['bookings', 'declined', '2 rows would be booked'],
] as const)(
  'P7: typed %s are %s as the page showed them, and a row typed over meanwhile is shown anew',
  async (kind, verdict, title) => {
    const name = `approved-${kind}:office`;
    const fact = (id: string) =>
      parkedRow({ kind: kind satisfies HeldKind, place: 'office', key: `contact/${id}` });
    const park = (id: string, of = id) =>
      stand.store.memory.set(fact(id), JSON.stringify({ atMs: stand.clock.now(), of }));
    const verdictOf = async (id: string) =>
      JSON.parse((await stand.store.memory.get(fact(id))) ?? '{}').verdict;
    await park('a');
    await park('b');
    expect((await browser.get('/console/approvals')).text).toContain(title);
    const page = `/console/approvals/allow?${new URLSearchParams({ name, kind })}`;
    const stale = formFields((await browser.get(page)).text);
    await park('b', 'typed over');
    const said = { why: 'meant', ...(verdict === 'declined' && { verdict: 'decline' }) };
    const late = await browser.post('/console/approvals/allow', { ...stale, ...said });
    expect([late.status, await verdictOf('a'), await verdictOf('b')]).toEqual([409, undefined, undefined]);
    const fields = formFields((await browser.get(page)).text);
    const answer = await browser.post('/console/approvals/allow', { ...fields, ...said });
    expect([answer.status, answer.headers['location']]).toEqual([303, '/console/approvals']);
    expect([await verdictOf('a'), await verdictOf('b')]).toEqual([verdict, verdict]);
    expect((await browser.get('/console/approvals')).text).toContain('Nothing is waiting');
    expect((await stand.store.acts.newest(1))[0]).toMatchObject({ what: verdict, chosen: 2, done: 2 });
  },
);
