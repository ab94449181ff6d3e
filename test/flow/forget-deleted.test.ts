import { randomUUID } from 'node:crypto';
import type { SilentSwitches } from '@slotbridge/sandbox/platform/sandbox';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { APPROVED_ERASURES, PARKED_ERASURE, PARKED_ERASURES } from '../../src/engine/edit-guard.ts';
import { NOTHING_ERASED } from '../../src/engine/erasure.ts';
import { RetryableError, WorkerError } from '../../src/engine/errors.ts';
import { toLink } from '../../src/engine/link.ts';
import { type Appointment, type Contact, formatKey } from '../../src/engine/object.ts';
import type { KnownWish } from '../../src/engine/outside-booking.ts';
import { customerMarks } from '../../src/engine/person.ts';
import { SILENT } from '../../src/engine/runtime.ts';
import type { Claim } from '../../src/engine/work.ts';
import { approveParked, waitingApprovals } from '../../src/operate/approvals.ts';
import { createForgetDeleted, type ForgetDeletedParts } from '../../src/operate/forget/forget-deleted.ts';
import { ErasureResumer } from '../../src/operate/forget/resume.ts';
import { MapMemory } from '../doubles/map-memory.ts';
import { startTestRedis, type TestRedis } from '../stand/redis.ts';
import { atLength } from '../stand/runs.ts';
import { openTestStore, type TestStore } from '../stand/store.ts';
import { ANNA, startWorld, type World } from '../stand/world.ts';

const ERASED_WITHIN_MS = 45_000;

describe('with privacy.forget_deleted', () => {
  let world: World;
  let url: string;
  beforeEach(async () => {
    world = await startWorld({ rewrite: (yaml) => `privacy: { forget_deleted: true }\n${yaml}` });
    const port = await world.door();
    await world.subscribe(port);
    ({ url } = await world.startWorker(port));
  });
  afterEach(() => world.close());

  test('P1, P5, P7: a contact that the platform deletes is gone from every place, and nobody else is', async () => {
    const { dashboard } = world.platform;
    const { projectId } = world.company;
    const contactId = dashboard.createContact({ projectId, name: 'Vera Orlova', phone: '+74950001101' });
    const otherId = dashboard.createContact({ projectId, name: 'Oleg Smirnov', phone: '+74950002202' });
    const appointment = world.book();
    dashboard.linkContact(appointment, contactId);
    // Nobody is still expected.
    for (const status of ['arrived', 'completed'] as const) dashboard.markAppointment(appointment, status);
    const theirs = world.book({ hours: 30, name: 'Oleg Smirnov' });
    dashboard.linkContact(theirs, otherId);
    await world.untilIdle(url);
    expect(world.events(ANNA)).toHaveLength(2);
    dashboard.deleteContact(contactId);
    const store = openTestStore(world.redis.url, { prefix: 'slotbridge' });
    await store.ready();
    await vi.waitFor(
      async () => expect(await store.erasures.receipt(contactId)).toMatchObject({ version: 1 }),
      {
        timeout: ERASED_WITHIN_MS,
        interval: 250,
      },
    );
    await world.untilIdle(url);
    expect(world.events(ANNA)).toHaveLength(1);
    const rows = JSON.stringify([world.rows('Contacts'), world.rows('Visits')]);
    expect(rows).toContain(otherId);
    expect(rows).toContain(theirs);
    for (const secret of [contactId, appointment, 'Vera', 'Orlova']) expect(rows).not.toContain(secret);
    const texts: string[] = [];
    for await (const { key, text } of store.search.all()) texts.push(`${key} ${text}`);
    expect(texts.filter((text) => text.includes(contactId) || text.includes('Orlova'))).toEqual([]);
    store.close();
    expect(world.google.stats()).toMatchObject({ mailsSent: 0, notifyingCalls: 0 });
  });
});

describe.each<SilentSwitches['mergeAppointments']>(['to-survivor', 'contact-null'])(
  'P1, P7: where a merge leaves appointments %s',
  (mergeAppointments) => {
    let world: World;
    let url: string;
    beforeEach(async () => {
      world = await startWorld({
        platform: { switches: { mergeAppointments } },
        rewrite: (yaml) => `privacy: { forget_deleted: true }\n${yaml}`,
      });
      const port = await world.door();
      await world.subscribe(port);
      ({ url } = await world.startWorker(port));
    });
    afterEach(() => world.close());

    /** Merges the customer's card into another one; returns the ids of the card that goes and of the appointment. */
    async function merged(survivor: { name: string; phone: string }) {
      const { dashboard } = world.platform;
      const { projectId } = world.company;
      const survivorId = dashboard.createContact({ projectId, ...survivor });
      const contactId = dashboard.createContact({ projectId, name: 'Vera Orlova', phone: '+74950001101' });
      const appointmentId = world.book();
      dashboard.linkContact(appointmentId, contactId);
      await world.untilIdle(url);
      dashboard.mergeContacts(survivorId, contactId);
      const store = openTestStore(world.redis.url, { prefix: 'slotbridge' });
      await store.ready();
      const key = { kind: 'contact', id: contactId } as const;
      const isOpen = async () => (await store.ledger.peek(key))?.deleted === false;
      await vi.waitFor(async () => expect(await isOpen()).toBe(false), {
        timeout: ERASED_WITHIN_MS,
        interval: 100,
      });
      const status = await world.untilIdle(url);
      // What was ordered comes to its end before anybody looks.
      await vi.waitFor(async () => expect(await store.erasures.open()).toEqual([]), {
        timeout: ERASED_WITHIN_MS,
        interval: 250,
      });
      await world.untilIdle(url);
      const isErased = (await store.erasures.receipt(contactId)) !== undefined;
      const history = await store.history.of(`contact/${contactId}`);
      store.close();
      return { appointmentId, status, history, isErased };
    }
    const stands = (appointmentId: string) => {
      expect(world.events(ANNA)).toHaveLength(1);
      expect(JSON.stringify(world.events(ANNA))).toContain('Vera Orlova');
      expect(JSON.stringify(world.rows('Visits'))).toContain(appointmentId);
    };

    test('the card that another one with the same number replaces is not erased', async () => {
      const { appointmentId, history, isErased } = await merged({
        name: 'Vera Orlova',
        phone: '+74950001101',
      });
      expect(isErased).toBe(false);
      expect(history).toContainEqual(expect.objectContaining({ code: 'not-erased-on-another-card' }));
      stands(appointmentId);
    });

    atLength.test(
      'an appointment that is still to come stays when the other card has another number',
      async () => {
        const survivor = { name: 'V. Orlova', phone: '+74950003303' };
        const { appointmentId, status, isErased } = await merged(survivor);
        const letters = JSON.stringify(status.dead_letters);
        expect(letters.includes('deletion-with-appointments')).toBe(mergeAppointments === 'contact-null');
        expect(isErased).toBe(mergeAppointments === 'to-survivor');
        stands(appointmentId);
      },
    );
  },
);

describe('the handler', () => {
  let redis: TestRedis;
  let store: TestStore;
  let nowMs: number;
  let memory: MapMemory;
  let raise: ReturnType<typeof vi.fn<ForgetDeletedParts['problems']['raise']>>;
  /** How often the platform was asked for a contact. */
  let asked: number;
  let note: ReturnType<typeof vi.fn<ForgetDeletedParts['history']['note']>>;
  beforeEach(async () => {
    redis = await startTestRedis();
    nowMs = Date.now();
    store = openTestStore(redis.url, { now: () => nowMs });
    await store.ready();
    memory = new MapMemory();
    asked = 0;
    raise = vi.fn(async () => undefined);
    note = vi.fn();
    return async () => {
      store.close();
      await redis.stop();
    };
  });

  const never = () => Promise.reject(new Error('not asked for'));
  interface Platform {
    readonly shown?: boolean | 'with its project';
    readonly visible?: boolean;
    /** Cards of others with the phone, and with the e-mail. */
    readonly phoneOf?: readonly string[];
    readonly emailOf?: readonly string[];
    readonly listed?: readonly Appointment[];
    readonly get?: ForgetDeletedParts['forgetting']['appointments']['get'];
    readonly house?: string;
  }
  const cardsOf = (ids: readonly string[]) => ids.map((id) => ({ id }) as Contact);
  function handler(platform: Platform = {}) {
    const { shown = false, visible = true, phoneOf = [], emailOf = [], listed = [], house } = platform;
    let isShown = shown === true;
    return createForgetDeleted({
      forgetting: {
        ...{ erasures: store.erasures, view: store.ledger, known: store.known, search: store.search },
        cards: {
          byId: async () => undefined,
          byPhone: async () => cardsOf(phoneOf),
          byEmail: async () => cardsOf(emailOf),
          create: never,
        },
        houseContacts: new Set(house === undefined ? [] : [house]),
        wakeClasses: async () => undefined,
        appointments: {
          list: async () => ({ data: listed, hasMore: false }),
          get: platform.get ?? never,
        },
        ...{
          queue: { forget: async () => [], turns: async () => new Set<string>() },
          leases: store.leases,
          clock: { now: () => nowMs },
        },
        ...{ places: [], outOfReach: [] },
      },
      reader: {
        get: async (key) => {
          asked += 1;
          return isShown ? { id: key.id } : undefined;
        },
        isProjectVisible: async () => {
          if (shown === 'with its project') isShown = true;
          return visible;
        },
      },
      ...{ tally: store.tally, memory },
      problems: { raise },
      ...{ history: { note }, log: SILENT },
    });
  }
  const PHONE = '+74950001101';
  const deleted = (id: string = randomUUID(), content: object = { phone: PHONE }): Claim => ({
    key: { kind: 'contact', id },
    ...{ fence: '', desiredRev: 1, syncedRev: 0, snapshot: { id, ...content }, deleted: true, verify: false },
    ...{ projectId: 'p', links: {}, pendingSinceMs: undefined, sightings: [] },
  });
  const codeOf = async (work: Promise<unknown>) =>
    work.then(
      () => 'done',
      (error: unknown) => (error instanceof WorkerError ? `${error.family} ${error.code}` : String(error)),
    );
  const begun = async () => (await store.erasures.open()).length;

  test('orders the erasure of a deleted contact, and of no other', async () => {
    expect(await handler().reconcile({ ...deleted(), deleted: false })).toBe('nothing');
    expect(await begun()).toBe(0);
    const claim = deleted();
    expect(await handler().reconcile(claim)).toBe('removed');
    expect(await handler().reconcile(claim)).toBe('removed');
    expect((await store.erasures.open()).map(({ contactId }) => contactId)).toEqual([claim.key.id]);
  });

  test.each([
    [{ shown: true }, 'terminal deletion-unproven'],
    [{ shown: 'with its project' }, 'terminal deletion-unproven'],
    [{ visible: false }, 'terminal project-not-in-key'],
  ] as const)('P7: where the platform says %j, nothing is erased', async (platform, code) => {
    expect(await codeOf(handler(platform).reconcile(deleted()))).toBe(code);
    expect(await begun()).toBe(0);
  });

  test.each<[string, { platform: Platform; content: object }, string]>([
    [
      'has neither number nor address',
      { platform: {}, content: { name: 'Vera Orlova' } },
      'no-phone-or-email',
    ],
    [
      'has a number of another card',
      { platform: { phoneOf: ['other'] }, content: { phone: PHONE } },
      'on-another-card',
    ],
    [
      'has an address of another card',
      { platform: { emailOf: ['other'] }, content: { email: 'v@x.example' } },
      'on-another-card',
    ],
  ])('P7: a card that %s may have been merged: it is not erased', async (_, { platform, content }, why) => {
    const claim = deleted(randomUUID(), content);
    expect(await handler(platform).reconcile(claim)).toBe('nothing');
    expect(await begun()).toBe(0);
    expect(note.mock.calls).toEqual([
      [`contact/${claim.key.id}`, { what: 'acted', atMs: nowMs, by: 'worker', code: `not-erased-${why}` }],
    ]);
  });

  atLength.test('P7: the house contact of blocks is left alone', async () => {
    const claim = deleted();
    expect(await handler({ house: claim.key.id }).reconcile(claim)).toBe('nothing');
    expect(await begun()).toBe(0);
  });

  /** An appointment that ends in so many hours. */
  const appointment = (fields: object, hours = 24) =>
    ({
      ...{ id: randomUUID(), status: 'confirmed', customer_phone: PHONE },
      ends_at: new Date(nowMs + hours * 3_600_000).toISOString(),
      ...fields,
    }) as unknown as Appointment;
  const orders = () => store.erasures.open();

  test('P7: with an appointment that is still to come a person decides', async () => {
    const claim = deleted();
    const live = appointment({ contact_id: claim.key.id });
    const work = handler({ listed: [live] }).reconcile(claim);
    expect(await codeOf(work)).toBe('terminal deletion-with-appointments');
    await expect(work).rejects.toMatchObject({ advice: expect.stringContaining(claim.key.id) });
    expect(await begun()).toBe(0);
    const over = appointment({ contact_id: claim.key.id }, -1);
    expect(await handler({ listed: [over] }).reconcile(claim)).toBe('removed');
    expect((await orders())[0]?.keys).toContain(`appointment/${over.id}`);
  });

  /** A row by which somebody booked. */
  async function rowOf(cells: object, bookedId?: string): Promise<string> {
    const key = { kind: 'booking', id: randomUUID() } as const;
    const snapshot = { id: key.id, place: 'row', mapping: 'desk', state: 'live', cells };
    await store.intake.observe({
      key,
      source: 'sheet',
      occurredAtMs: nowMs,
      seen: { as: 'snapshot', snapshot },
    });
    const held = await store.work.claim(key);
    const own = { id: bookedId ?? '', wish: { startsAt: '2026-01-01T10:00:00Z' } as unknown as KnownWish };
    const booking = { state: 'booked', told: { is: 'nothing' }, own } as const;
    if (held && bookedId !== undefined) await store.links.write(held, 'desk', { booking });
    return formatKey(key);
  }
  const VERA = { name: 'Vera Orlova', phone: PHONE };
  async function veraDeleted(): Promise<Claim> {
    const claim = deleted(randomUUID(), VERA);
    const seen = { as: 'snapshot', snapshot: { id: claim.key.id, ...VERA } } as const;
    await store.intake.observe({ key: claim.key, source: 'list', occurredAtMs: nowMs, seen });
    return claim;
  }

  test('P7: a row that names the person and led to somebody else’s appointment is left', async () => {
    const claim = await veraDeleted();
    const [own, others] = [await rowOf(VERA), await rowOf(VERA, randomUUID())];
    expect(await handler().reconcile(claim)).toBe('removed');
    const keys = (await orders()).flatMap((order) => order.keys);
    expect(keys).toContain(own);
    expect(keys).not.toContain(others);
  });

  test.each([
    ['the person alone', '8 (495) 000-11-01', true],
    ['a stranger, too', '+49 160 000 11 01', false],
  ])('P7: the mark of a number that ends like that of %s identifies: %s', async (_, phone, identifies) => {
    const claim = await veraDeleted();
    await rowOf({ name: 'Nina Weber', phone });
    expect(await handler().reconcile(claim)).toBe('removed');
    const nobody = { contactId: undefined, email: undefined, name: undefined };
    const mark = customerMarks({ ...nobody, phone: PHONE }).phone ?? '';
    expect((await orders())[0]?.terms.hashes.includes(mark)).toBe(identifies);
  });

  describe('an appointment that only the memory links to the card', () => {
    let claim: Claim;
    let stored: Appointment;
    beforeEach(async () => {
      claim = deleted();
      stored = appointment({ contact_id: claim.key.id, status: 'completed' });
      const key = { kind: 'appointment', id: stored.id } as const;
      const seen = { as: 'snapshot', snapshot: stored } as const;
      await store.intake.observe({ key, source: 'list', occurredAtMs: nowMs, seen });
    });

    test('P1: is left out when the platform says that it is another card’s', async () => {
      const get = async () => ({ ...stored, contact_id: 'survivor' });
      expect(await handler({ get }).reconcile(claim)).toBe('removed');
      expect((await orders()).map(({ keys }) => keys)).toEqual([[`contact/${claim.key.id}`]]);
      expect(JSON.stringify(await orders())).not.toContain(stored.id);
    });

    test.each([
      ['nobody’s', null],
      ['still its own', 'own'],
    ])('is erased when the platform says that it is %s', async (_, holder) => {
      const get = async () => ({ ...stored, contact_id: holder === 'own' ? claim.key.id : holder });
      expect(await handler({ get }).reconcile(claim)).toBe('removed');
      expect((await orders())[0]?.keys).toContain(`appointment/${stored.id}`);
    });

    atLength.test('is erased when the platform does not show it any more', async () => {
      expect(await handler({ get: async () => undefined }).reconcile(claim)).toBe('removed');
      expect((await orders())[0]?.keys).toContain(`appointment/${stored.id}`);
    });

    atLength.test('is still found after retention has taken its content, and that of the card', async () => {
      const key = { kind: 'appointment', id: stored.id } as const;
      const event = { calendarId: 'c', eventId: 'e', etag: '"1"', hash: 'h', coloured: false };
      const held = await store.work.claim(key);
      if (held === undefined) throw new Error('nothing to claim');
      await store.links.write(held, 'm', { calendars: [toLink(event)] });
      expect(await store.work.settle(held)).toBe('settled');
      nowMs += 91 * 86_400_000;
      expect(await store.retention.ageObjects()).toEqual({ emptied: 1, forgotten: 0 });
      const quiet: Claim = { ...claim, snapshot: undefined };
      const get = async () => ({ ...stored, contact_id: null });
      expect(await codeOf(handler({ get, phoneOf: ['other'] }).reconcile(quiet))).toBe('done');
      expect(await begun()).toBe(0);
      expect(note.mock.calls.at(-1)?.[1]).toMatchObject({ code: 'not-erased-on-another-card' });
      expect(await codeOf(handler({ get: async () => undefined }).reconcile(quiet))).toBe(
        'terminal deletion-unclear',
      );
      expect(await handler({ get }).reconcile(quiet)).toBe('removed');
      expect((await orders())[0]).toMatchObject({
        keys: expect.arrayContaining([`appointment/${stored.id}`]),
        terms: { phones: [PHONE] },
      });
    });

    test('P7: waits for a person when the platform says that it is still to come', async () => {
      const get = async () => ({ ...stored, status: 'confirmed' });
      expect(await codeOf(handler({ get }).reconcile(claim))).toBe('terminal deletion-with-appointments');
    });

    atLength.test('P1: is not guessed about while the platform cannot be asked', async () => {
      const get = () => Promise.reject(new RetryableError('platform-timeout', 'late'));
      expect(await codeOf(handler({ get }).reconcile(claim))).toBe('retryable platform-timeout');
      expect(await begun()).toBe(0);
    });
  });

  describe('P7: many at once wait for a person', () => {
    let parked: readonly Claim[];
    beforeEach(async () => {
      const claims = Array.from({ length: 25 }, () => deleted());
      const first = await Promise.all(claims.map((claim) => codeOf(handler().reconcile(claim))));
      expect(first.filter((code) => code === 'done')).toHaveLength(20);
      expect(first.filter((code) => code === 'deferred mass-erasure')).toHaveLength(5);
      expect(await begun()).toBe(20);
      parked = claims.filter((_, at) => first[at] !== 'done');
    });

    const turns = async (claims: readonly Claim[]) =>
      Promise.all(claims.map((claim) => codeOf(handler().reconcile(claim))));
    const all = (code: string) => parked.map(() => code);
    const clock = { now: () => nowMs };
    const waiting = async () =>
      (await waitingApprovals({ memory, deadLetters: store.deadLetters, clock })).map(({ kind, count }) => ({
        kind,
        count,
      }));
    const approve = async () => {
      const members = [...(await memory.all(PARKED_ERASURE)).keys()];
      await approveParked({ memory, clock }, { name: APPROVED_ERASURES, members });
    };
    /** What the worker does every few seconds. */
    async function tick(raised: readonly string[] = ['erasures:contacts']): Promise<readonly string[]> {
      const problems = new Set(raised);
      const board = {
        raise: async () => undefined,
        clear: async (target: string) => void problems.delete(target),
        list: async () => [...problems].map((target) => ({ target }) as never),
      };
      const { erasures } = store;
      const forgetting = { erasures: { ...erasures, open: async () => [] } } as never;
      await new ErasureResumer({ forgetting, problems: board, memory, log: SILENT }).resume(
        new AbortController().signal,
      );
      return [...problems];
    }

    atLength.test('however long that takes, and the platform is not asked again meanwhile', async () => {
      expect(raise).toHaveBeenCalledWith(expect.objectContaining({ code: 'mass-erasure' }));
      const before = asked;
      for (let nth = 0; nth < 3; nth += 1) {
        nowMs += 3 * 3_600_000;
        expect(await turns(parked)).toEqual(all('deferred mass-erasure'));
      }
      expect(asked).toBe(before);
      await expect(handler().reconcile(parked[0] as Claim)).rejects.toMatchObject({
        retryAfterMs: 300_000,
      });
      expect(await waiting()).toEqual([{ kind: 'erasures', count: 5 }]);
    });

    test('exactly those that were listed pass, whenever their turn comes', async () => {
      nowMs += 1;
      const listed = deleted();
      expect(await turns([listed])).toEqual(['deferred mass-erasure']);
      expect(await waiting()).toEqual([{ kind: 'erasures', count: 6 }]);
      await approve();
      expect(await waiting()).toEqual([]);
      nowMs += 1;
      const late = deleted();
      expect(await turns([late])).toEqual(['deferred mass-erasure']);
      expect(await waiting()).toEqual([{ kind: 'erasures', count: 1 }]);
      nowMs += 3 * 3_600_000;
      expect(await turns([...parked, listed])).toEqual([...all('done'), 'done']);
      expect(await begun()).toBe(26);
      expect(await turns([late])).toEqual(['deferred mass-erasure']);
      await approve();
      expect(await turns([late])).toEqual(['done']);
      expect([...(await memory.all('parked-'))]).toEqual([]);
    });

    atLength.test('an approval for contacts that a list does not show lets none of them pass', async () => {
      await memory.set('approved-deletions:contacts', String(nowMs + 60_000));
      expect(await turns(parked)).toEqual(all('deferred mass-erasure'));
    });

    atLength.test('one that turns out not to be erased waits no longer', async () => {
      await approve();
      const [first, second] = parked as [Claim, Claim];
      expect(await codeOf(handler({ phoneOf: ['other'] }).reconcile(first))).toBe('done');
      expect(await codeOf(handler({ shown: true }).reconcile(second))).toBe('terminal deletion-unproven');
      expect([...(await memory.all('parked-erasure:')).keys()]).toHaveLength(3);
    });

    atLength.test('the problem ends when nobody waits any more, however that came', async () => {
      expect(await tick()).toEqual(['erasures:contacts']);
      for (const { key } of parked) await memory.forget(`parked-erasure:contact/${key.id}`);
      expect(await tick()).toEqual([]);
      expect(await memory.get(PARKED_ERASURES)).toBeUndefined();
      nowMs += 3 * 3_600_000;
      expect(await turns([deleted()])).toEqual(['done']);
    });

    test('an approval does not reach contacts that are parked after the clock was set back', async () => {
      await approve();
      expect(await turns(parked)).toEqual(all('done'));
      nowMs -= 30 * 60_000;
      const later = Array.from({ length: 3 }, () => deleted());
      for (let nth = 0; nth < 2; nth += 1) {
        expect(await turns(later)).toEqual(later.map(() => 'deferred mass-erasure'));
        expect(await waiting()).toEqual([{ kind: 'erasures', count: 3 }]);
        expect(await tick()).toEqual(['erasures:contacts']);
      }
      expect(await begun()).toBe(25);
    });

    test('contacts that an earlier version parked and approved are erased, and those it only parked wait', async () => {
      const [approved, open] = [deleted(), deleted()];
      await memory.set(APPROVED_ERASURES, String(nowMs - 1_000));
      await memory.set(`parked-erasure:contact/${approved.key.id}`, String(nowMs - 2_000));
      await memory.set(`parked-erasure:contact/${open.key.id}`, String(nowMs));
      expect(await waiting()).toEqual([{ kind: 'erasures', count: 6 }]);
      expect(await turns([approved, open])).toEqual(['done', 'deferred mass-erasure']);
      await approve();
      expect(await waiting()).toEqual([]);
      expect(await turns([open])).toEqual(['done']);
    });

    test('a contact that the platform shows again no longer waits, and a later deletion needs its own approval', async () => {
      const key = parked[0]?.key;
      if (key === undefined) throw new Error('nothing is parked');
      const card = { id: key.id, phone: PHONE, updated_at: new Date(nowMs).toISOString() };
      const see = async (seen: Parameters<TestStore['intake']['observe']>[0]['seen']) => {
        await store.intake.observe({ key, source: 'webhook', occurredAtMs: nowMs, seen });
        const held = await store.work.claim(key);
        if (held === undefined) throw new Error('nothing to claim');
        return held;
      };
      await store.work.settle(await see({ as: 'snapshot', snapshot: card }));
      expect(await turns([await see({ as: 'deleted' })])).toEqual(['deferred mass-erasure']);
      const doubtful = await see({ as: 'snapshot', snapshot: card });
      const back = await store.work.refresh(doubtful, { found: card });
      if (back === undefined) throw new Error('overtaken');
      await approve();
      expect(await handler().reconcile(back)).toBe('nothing');
      expect([...(await memory.all('parked-erasure:')).keys()]).not.toContain(`contact/${key.id}`);
      expect(await begun()).toBe(20);
    });

    test('the problem ends after all of them came back, even if a restart has lost the problem', async () => {
      for (const claim of parked)
        expect(await handler().reconcile({ ...claim, deleted: false, desiredRev: 2 })).toBe('nothing');
      expect(await waiting()).toEqual([]);
      expect(await tick([])).toEqual([]);
      nowMs += 3 * 3_600_000;
      expect(await turns([deleted()])).toEqual(['done']);
    });
  });

  test('P7: who was parked and is erased by the command stands in no list any more', async () => {
    const { key } = deleted();
    await store.memory.set(`parked-erasure:contact/${key.id}`, String(nowMs));
    const terms = { ids: [key.id], phones: [], emails: [], names: [], hashes: [] };
    const order = { contactId: key.id, keys: [`contact/${key.id}`], terms, begunAtMs: nowMs };
    await store.erasures.eraseState({ ...order, erased: NOTHING_ERASED });
    expect([...(await store.memory.all('parked-'))]).toEqual([]);
  });

  test('P7: erasures that have come to their end still count', async () => {
    for (let nth = 0; nth < 20; nth += 1) {
      expect(await codeOf(handler().reconcile(deleted()))).toBe('done');
      for (const order of await store.erasures.open()) await store.erasures.eraseState(order);
    }
    expect(await codeOf(handler().reconcile(deleted()))).toBe('deferred mass-erasure');
  });
});
