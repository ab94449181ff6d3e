import { describe, expect, it } from 'vitest';
import type { SheetLink } from '../../src/engine/link.ts';
import type { AppointmentSheetMirror, Directory, SheetMirror } from '../../src/engine/mirror.ts';
import type { Snapshot } from '../../src/engine/object.ts';
import type { Claim } from '../../src/engine/work.ts';
import { createSheetTarget } from '../../src/sheet/target.ts';
import { HandClock } from '../doubles/hand-clock.ts';
import { KeptLog, KeptMeter } from '../doubles/listener.ts';
import { MemoryOutbox } from '../doubles/outbox.ts';
import { CountingWaker } from '../doubles/waker.ts';
import { BOOK, CONTACTS, id } from './stand.ts';

const NOW = Date.parse('2026-05-04T08:00:00Z');
const DAY_MS = 86_400_000;
const CUSTOMERS: SheetMirror = { ...CONTACTS, where: { lifecycles: ['customer'] } };
const APPOINTMENTS: AppointmentSheetMirror = {
  ...CONTACTS,
  name: 'visits',
  from: 'appointment',
  tab: 'Visits',
  where: { statuses: ['confirmed'], sinceMs: 7 * DAY_MS },
  columns: [
    { header: 'ID', template: '{{ id }}' },
    { header: 'Start', template: "{{ starts_at | date: '%Y-%m-%d %H:%M' }}" },
    { header: 'Who', template: '{{ resource_name }}' },
    { header: 'Price', template: '{{ price }}' },
    { header: 'Gone', template: '{{ deleted }}' },
  ],
};
const DIRECTORY: Directory = {
  resources: new Map([['r1', { id: 'r1', branchId: 'b1', projectId: 'p1', name: 'Anna' }]]),
  branches: new Map(),
  services: new Map(),
};

function bench(mirror: SheetMirror) {
  const outbox = new MemoryOutbox();
  const waker = new CountingWaker();
  const clock = new HandClock(NOW);
  const directory = { current: () => DIRECTORY };
  const log = new KeptLog();
  const target = createSheetTarget({ mirror, outbox, waker, directory, clock, log, meter: new KeptMeter() });
  let fence = 0;
  const claim = (snapshot: Snapshot | undefined, about: Partial<Claim> = {}): Claim => {
    fence += 1;
    const key = { kind: mirror.from, id: id(1) };
    const link = outbox.link(`${mirror.from}/${id(1)}`, mirror.name);
    return {
      key,
      fence: String(fence),
      desiredRev: fence,
      syncedRev: 0,
      snapshot,
      deleted: false,
      verify: false,
      sightings: [],
      projectId: 'p1',
      links: link === undefined ? {} : { [mirror.name]: { sheet: link } },
      pendingSinceMs: NOW - 5,
      ...about,
    };
  };
  return {
    outbox,
    waker,
    clock,
    claim,
    target,
    reconcile: (snapshot: Snapshot | undefined, about: Partial<Claim> = {}) =>
      target.reconcile(claim(snapshot, about)),
    pending: () => outbox.pending(BOOK, 100),
    /** As a flush would that finds no row. */
    absent: async () => {
      const rows = await outbox.pending(BOOK, 100);
      await outbox.confirm(rows.map((row) => ({ ...row, cells: undefined, hash: 'cleared' })));
    },
    /** As a flush would. */
    flush: async () => outbox.confirm(await outbox.pending(BOOK, 100)),
  };
}

const contact = (about: object = {}): Snapshot => ({
  id: id(1),
  project_id: 'p1',
  name: 'Ada',
  phone: '+41',
  lifecycle: 'customer',
  status: 'active',
  ...about,
});
const appointment = (about: object = {}): Snapshot => ({
  id: id(1),
  project_id: 'p1',
  branch_id: 'b1',
  resource_id: 'r1',
  resource_ids: ['r1'],
  status: 'confirmed',
  timezone: 'Europe/Zurich',
  starts_at: '2026-05-04T10:00:00Z',
  ends_at: '2026-05-04T11:00:00Z',
  price_amount: 12_050,
  ...about,
});

describe('rows that people deleted shall stay away', () => {
  const LEAVING: SheetMirror = {
    ...CUSTOMERS,
    check: { everyMs: 600_000, removed: 'leave', edited: 'restore' },
  };

  it('so a row says whether it was seen in the tab before', async () => {
    const b = bench(LEAVING);
    await b.reconcile(contact());
    expect((await b.pending())[0]).not.toHaveProperty('staysAway');
    await b.flush();
    await b.reconcile(contact({ name: 'Eva' }));
    expect(await b.pending()).toMatchObject([{ staysAway: true }]);
  });

  it('a row that is to be made anew after an accident does not stay away', async () => {
    const b = bench(LEAVING);
    await b.reconcile(contact());
    await b.flush();
    await b.outbox.rewrite([`contact/${id(1)}`], 'contacts');
    await b.reconcile(contact({ name: 'Eva' }));
    expect((await b.pending())[0]).not.toHaveProperty('staysAway');
  });

  it('until their object has left the mirror and come back', async () => {
    const b = bench(LEAVING);
    await b.reconcile(contact());
    await b.flush();
    b.outbox.leave(`contact/${id(1)}`, 'contacts', b.outbox.link(`contact/${id(1)}`, 'contacts')?.hash ?? '');
    expect(await b.reconcile(contact({ name: 'Eva' }))).toBe('nothing');
    expect(await b.reconcile(contact({ lifecycle: 'lead' }))).toBe('queued');
    await b.flush();
    expect(await b.reconcile(contact({ name: 'Eva' }))).toBe('queued');
  });

  it('or until the setting says otherwise', async () => {
    const b = bench(LEAVING);
    await b.reconcile(contact());
    await b.flush();
    b.outbox.leave(`contact/${id(1)}`, 'contacts', b.outbox.link(`contact/${id(1)}`, 'contacts')?.hash ?? '');
    const { outbox, waker, clock, claim } = b;
    const log = new KeptLog();
    const directory = { current: () => DIRECTORY };
    const parts = { mirror: CUSTOMERS, outbox, waker, clock, log, directory, meter: new KeptMeter() };
    expect(await createSheetTarget(parts).reconcile(claim(contact()))).toBe('queued');
  });
});

describe('a sheet mirror looks at an object', () => {
  it('puts its row into the outbox, the key apart, and wakes the flush', async () => {
    const b = bench(CUSTOMERS);
    expect(await b.reconcile(contact())).toBe('queued');
    expect(await b.pending()).toEqual([
      {
        spreadsheetId: BOOK,
        tab: 'Contacts',
        mirror: 'contacts',
        key: `contact/${id(1)}`,
        rowKey: id(1),
        cells: { Name: 'Ada', Phone: '+41' },
        hash: expect.stringMatching(/^[0-9a-f]{32}$/),
        standing: expect.stringMatching(/^[0-9a-f]{32}$/),
        occurredAtMs: NOW - 5,
        version: 1,
      },
    ]);
    expect(b.waker.wakes).toEqual({ [BOOK]: 1 });
  });

  it('wakes the flush once for a row that waits already', async () => {
    const b = bench(CUSTOMERS);
    expect(await b.reconcile(contact())).toBe('queued');
    expect(await b.reconcile(contact())).toBe('queued');
    expect(b.waker.wakes).toEqual({ [BOOK]: 1 });
  });

  it('does nothing and wakes nothing when the very row stands in the sheet', async () => {
    const b = bench(CUSTOMERS);
    await b.reconcile(contact());
    await b.flush();
    expect(await b.reconcile(contact({ updated_at: '2026-05-04T08:00:00Z' }))).toBe('nothing');
    expect(await b.pending()).toEqual([]);
    expect(b.waker.wakes).toEqual({ [BOOK]: 1 });
  });

  it.each([
    ['another content', contact({ name: 'Eva' })],
    ['no row any more', contact({ lifecycle: 'lead' })],
  ])('says that the object had a row: %s', async (_, next) => {
    const b = bench(CUSTOMERS);
    await b.reconcile(contact());
    expect((await b.pending())[0]).not.toHaveProperty('hadRow');
    await b.flush();
    await b.reconcile(next);
    expect(await b.pending()).toMatchObject([{ hadRow: true }]);
  });

  it('stops when another handler has taken the object', async () => {
    const b = bench(CUSTOMERS);
    const stale = b.claim(contact());
    await b.reconcile(contact({ name: 'Newer' }));
    await expect(b.target.reconcile(stale)).rejects.toMatchObject({ family: 'retryable', code: 'fenced' });
    expect((await b.pending())[0]?.cells).toMatchObject({ Name: 'Newer' });
  });

  it('renders times in the zone of the branch, and keeps numbers and booleans typed', async () => {
    const b = bench(APPOINTMENTS);
    await b.reconcile(appointment());
    expect((await b.pending())[0]?.cells).toEqual({
      Start: '2026-05-04 12:00',
      Who: 'Anna',
      Price: 120.5,
      Gone: false,
    });
  });

  it('renders times in the zone of the mapping when it names one', async () => {
    const b = bench({ ...APPOINTMENTS, timezone: 'Asia/Tokyo' });
    await b.reconcile(appointment());
    expect((await b.pending())[0]?.cells).toMatchObject({ Start: '2026-05-04 19:00' });
  });

  it('clears the row of what the filter no longer takes, also before it was ever written', async () => {
    const b = bench(CUSTOMERS);
    await b.reconcile(contact());
    expect(await b.reconcile(contact({ lifecycle: 'lead' }))).toBe('queued');
    expect(await b.pending()).toMatchObject([{ cells: undefined, hash: 'cleared' }]);
  });

  it('clears a row of which nothing is known here, and only once', async () => {
    const b = bench(CUSTOMERS);
    expect(await b.reconcile(contact({ lifecycle: 'lead' }))).toBe('queued');
    await b.flush();
    expect(await b.reconcile(contact({ lifecycle: 'lead' }))).toBe('nothing');
  });

  it('with `unmatched: keep`, keeps the row and keeps it up to date', async () => {
    const b = bench({ ...CUSTOMERS, unmatched: 'keep' });
    await b.reconcile(contact());
    await b.flush();
    expect(await b.reconcile(contact({ lifecycle: 'lead', name: 'Ada L.' }))).toBe('queued');
    expect((await b.pending())[0]?.cells).toMatchObject({ Name: 'Ada L.' });
  });

  it('with `unmatched: keep`, does not let a waiting row be written as it was before', async () => {
    const b = bench({ ...CUSTOMERS, unmatched: 'keep' });
    await b.reconcile(contact());
    await b.reconcile(contact({ lifecycle: 'lead', name: 'Ada L.' }));
    expect((await b.pending()).map(({ cells }) => cells?.['Name'])).toEqual(['Ada L.']);
  });

  it('with `unmatched: keep`, begins no row for what the filter never took, and asks the tab for one once', async () => {
    const b = bench({ ...CUSTOMERS, unmatched: 'keep' });
    for (const name of ['Ada', 'Eva']) {
      expect(await b.reconcile(contact({ lifecycle: 'lead', name }))).toBe('queued');
      expect(await b.pending()).toMatchObject([{ onlyIfThere: true, cells: { Name: name } }]);
    }
    await b.absent();
    expect(await b.reconcile(contact({ lifecycle: 'lead', name: 'Ida' }))).toBe('nothing');
    expect(await b.reconcile(contact({ name: 'Ida' }))).toBe('queued');
    expect((await b.pending())[0]).not.toHaveProperty('onlyIfThere');
  });

  it('keeps a row up to date that was found where nothing was known of it (case 33)', async () => {
    const b = bench(APPOINTMENTS);
    b.clock.advance(8 * DAY_MS);
    await b.reconcile(appointment());
    await b.flush();
    expect(await b.reconcile(appointment({ starts_at: '2026-05-04T17:00:00Z' }))).toBe('queued');
    expect((await b.pending())[0]).not.toHaveProperty('onlyIfThere');
  });

  it('begins a row when the object enters the mirror while the tab is being asked', async () => {
    const b = bench({ ...CUSTOMERS, unmatched: 'keep' });
    await b.reconcile(contact({ lifecycle: 'lead' }));
    expect(await b.reconcile(contact())).toBe('queued');
    expect(await b.pending()).toMatchObject([{ cells: { Name: 'Ada' } }]);
    expect((await b.pending())[0]).not.toHaveProperty('onlyIfThere');
  });

  it('clears the row of a deleted object, even if it was never seen', async () => {
    const b = bench(CUSTOMERS);
    expect(await b.reconcile(undefined, { deleted: true })).toBe('queued');
    expect(await b.pending()).toMatchObject([{ cells: undefined, rowKey: id(1) }]);
  });

  it('with `deleted: keep`, says in the row that the object is gone', async () => {
    const columns = [...CONTACTS.columns, { header: 'Gone', template: '{{ deleted }}' }];
    const b = bench({ ...CUSTOMERS, columns, deleted: 'keep' });
    await b.reconcile(contact());
    await b.flush();
    expect(await b.reconcile(contact(), { deleted: true })).toBe('queued');
    expect((await b.pending())[0]?.cells).toMatchObject({ Name: 'Ada', Gone: true });
  });

  it('with `deleted: keep`, begins no row for what was deleted before it had one', async () => {
    const b = bench({ ...CUSTOMERS, deleted: 'keep' });
    expect(await b.reconcile(contact(), { deleted: true })).toBe('queued');
    expect(await b.pending()).toMatchObject([{ onlyIfThere: true }]);
    await b.absent();
    expect(await b.reconcile(contact(), { deleted: true })).toBe('nothing');
    expect(await b.reconcile(undefined, { deleted: true })).toBe('nothing');
  });

  it('adds no row for an appointment older than `since`, and leaves an existing one alone (case 59)', async () => {
    const b = bench(APPOINTMENTS);
    b.clock.advance(8 * DAY_MS);
    expect(await b.reconcile(appointment())).toBe('queued');
    expect(await b.pending()).toMatchObject([{ onlyIfThere: true }]);
    await b.absent();
    expect(await b.reconcile(appointment())).toBe('nothing');
    expect(await b.pending()).toEqual([]);
  });

  it('keeps a row up to date that was taken up when it was young enough', async () => {
    const b = bench(APPOINTMENTS);
    await b.reconcile(appointment());
    await b.flush();
    b.clock.advance(30 * DAY_MS);
    expect(await b.reconcile(appointment({ price_amount: 500 }))).toBe('queued');
    expect((await b.pending())[0]?.cells).toMatchObject({ Price: 5 });
    expect(await b.reconcile(appointment({ status: 'cancelled', resource_ids: [] }))).toBe('queued');
    expect(await b.pending()).toMatchObject([{ cells: undefined }]);
  });

  it('is not misled by a row in another spreadsheet that the mapping used before (case 73)', async () => {
    const b = bench({ ...CUSTOMERS, deleted: 'keep' });
    const sheet = { spreadsheetId: 'former', tab: 'Contacts', hash: 'x' };
    expect(await b.reconcile(contact(), { deleted: true, links: { contacts: { sheet } } })).toBe('nothing');
  });

  it('reports a template that cannot be rendered as terminal, without the value', async () => {
    const endless = '{% for i in (1..100000000) %}{{ name }}{% endfor %}';
    const b = bench({ ...CUSTOMERS, columns: [...CONTACTS.columns, { header: 'Bad', template: endless }] });
    await expect(b.reconcile(contact({ name: 'Secret' }))).rejects.toMatchObject({
      family: 'terminal',
      code: 'template-failed',
      message: expect.not.stringContaining('Secret'),
    });
    expect(await b.pending()).toEqual([]);
  });
});

describe('an edit of `where` (case 73)', () => {
  const NARROWER: SheetMirror = { ...CONTACTS, where: { lifecycles: ['churned'] } };

  /** The row was written under one mapping, and another one is in the file now. */
  async function edited(mirror: SheetMirror) {
    const before = bench(CUSTOMERS);
    await before.reconcile(contact());
    await before.flush();
    const { outbox, waker, clock, claim } = before;
    const [log, meter] = [new KeptLog(), new KeptMeter()];
    const directory = { current: () => DIRECTORY };
    const target = createSheetTarget({ mirror, outbox, waker, clock, log, directory, meter });
    return { ...before, reconcile: (snapshot: Snapshot) => target.reconcile(claim(snapshot)) };
  }

  it('clears no row by itself, and goes on keeping it up to date', async () => {
    const b = await edited(NARROWER);
    expect(await b.reconcile(contact())).toBe('nothing');
    expect(await b.reconcile(contact({ name: 'Eva' }))).toBe('queued');
    expect((await b.pending())[0]?.cells).toMatchObject({ Name: 'Eva' });
  });

  it('lets a row be cleared whose object changes in what `where` is about', async () => {
    const b = await edited(NARROWER);
    await b.reconcile(contact());
    expect(await b.reconcile(contact({ lifecycle: 'lead' }))).toBe('queued');
    expect((await b.pending())[0]?.cells).toBeUndefined();
  });

  it('clears the rows that a person has released', async () => {
    const b = await edited(NARROWER);
    const { outbox, claim } = b;
    const sheet = { ...outbox.link(`contact/${id(1)}`, 'contacts'), released: true } as SheetLink;
    const [log, meter] = [new KeptLog(), new KeptMeter()];
    const directory = { current: () => DIRECTORY };
    const target = createSheetTarget({ ...b, mirror: NARROWER, log, directory, meter });
    await target.reconcile(claim(contact(), { links: { contacts: { sheet } } }));
    expect((await b.pending())[0]?.cells).toBeUndefined();
  });
});

describe('content lines of `where`', () => {
  const API: SheetMirror = { ...CONTACTS, where: { sources: ['api'] } };
  const MANUAL: SheetMirror = { ...CONTACTS, where: { sources: ['manual'] } };

  /** The row was written under the first mapping; then the second is in the file. */
  async function edited(first: SheetMirror, second: SheetMirror) {
    const b = bench(first);
    await b.reconcile(contact({ source: 'api' }));
    await b.flush();
    const { outbox, waker, clock, claim } = b;
    const [log, meter] = [new KeptLog(), new KeptMeter()];
    const directory = { current: () => DIRECTORY };
    const target = createSheetTarget({ mirror: second, outbox, waker, clock, log, directory, meter });
    return { ...b, edited: (snapshot: Snapshot) => target.reconcile(claim(snapshot)) };
  }

  it('clear the row of what stops matching', async () => {
    const b = await edited(API, API);
    expect(await b.reconcile(contact({ source: 'manual' }))).toBe('queued');
    expect((await b.pending())[0]?.cells).toBeUndefined();
  });

  it('keep a row up to date whose object is not known in a field, and begin none', async () => {
    const b = await edited(API, API);
    expect(await b.reconcile(contact({ name: 'Eva' }))).toBe('queued');
    expect((await b.pending())[0]?.cells).toMatchObject({ Name: 'Eva' });
    const fresh = bench(API);
    await fresh.reconcile(contact());
    expect(await fresh.pending()).toMatchObject([{ onlyIfThere: true }]);
  });

  it('clear nothing when they are edited, nor when the object changes in something else later', async () => {
    const b = await edited(API, MANUAL);
    expect(await b.edited(contact({ source: 'api' }))).toBe('nothing');
    await b.edited(contact({ source: 'api', name: 'Eva' }));
    await b.flush();
    await b.edited(contact({ source: 'api', name: 'Eva', status: 'archived', phone: '+42' }));
    expect((await b.pending())[0]?.cells).toMatchObject({ Name: 'Eva' });
  });

  it('clear the row that the edited lines have taken since', async () => {
    const both: SheetMirror = { ...CONTACTS, where: { sources: ['api', 'manual'] } };
    const b = await edited(API, both);
    expect(await b.edited(contact({ source: 'api' }))).toBe('nothing');
    expect(await b.edited(contact({ source: 'import' }))).toBe('queued');
    expect((await b.pending())[0]?.cells).toBeUndefined();
  });
});
