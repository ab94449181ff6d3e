import { keySpace } from '../../../../src/engine/key-space.ts';
import { toLink } from '../../../../src/engine/link.ts';
import { type EntityKey, formatKey, type Snapshot } from '../../../../src/engine/object.ts';
import { openRedis, type RedisClient, untilConnected } from '../../../../src/engine/redis-client.ts';
import { retain } from '../../../../src/engine/retention.ts';
import { SILENT } from '../../../../src/engine/runtime.ts';
import { openStores, type Stores } from '../../../../src/worker/stores.ts';
import { type BenchOptions, type Figure, figuresOf } from '../figure.ts';
import { appointment, contact, PROJECT_ID, people, uuid } from '../slim/numbered.ts';
import { setStage } from '../stand/stage.ts';
import { simulate } from './simulated-redis.ts';

const DAY_MS = 86_400_000;
const BASE_MS = Date.parse('2026-01-01T00:00:00Z');
const QUARTER_DAYS = 91;
/**
 * The first quarter in which the longest period, 400 days after the last turn, is in force throughout: days 456 to 546. The last quarter
 * ends a year after this one begins.
 */
const REFERENCE = 5;
const QUARTERS = REFERENCE + 4;
const GROWTH_MAX = 1.02;
/** The bench expires keys in steps, so a key may go up to this many days early. */
const EXPIRED_EVERY_DAYS = 7;
/** A worker does this four times a day. Here, data may outlive its period by up to this many days. */
const RETAINED_EVERY_DAYS = 14;
/** Covers single commands only. Redis' other work, such as writing its file, is not included. */
const SLOW_US = 10_000;
const SLOW_MAX = 1_000;
const CONNECTED_WITHIN_MS = 30_000;
const AT_ONCE = 250;
const ROWS_PER_FLUSH = 1_000;
const KIB = 1_024;
/** An appointment changes this many days after its booking. */
const APPOINTMENT_CHANGES_ON = [0, 2, 6, 9];
const LEAD_STANDS_DAYS = 60;

/** One day of a company. As many customers leave as come, so their number stays constant. */
interface Size {
  readonly appointments: number;
  readonly contacts: number;
  readonly contactChanges: number;
  readonly turnover: number;
  readonly leads: number;
  readonly origins: number;
  readonly quarters: number;
}

interface Quarter {
  readonly keys: number;
  readonly bytes: number;
}

/** 1,000 changes a day. */
const FULL: Size = {
  ...{ appointments: 200, contacts: 10_000, contactChanges: 120, turnover: 20 },
  ...{ leads: 20, origins: 12, quarters: QUARTERS },
};
const QUICK: Size = {
  ...{ appointments: 2, contacts: 40, contactChanges: 2, turnover: 1 },
  ...{ leads: 1, origins: 1, quarters: REFERENCE + 1 },
};

/** Requirement (issue 16): memory stays flat over a year of changes. The 15 months before it fill the default periods of `privacy.keep`. */
export async function year(options: BenchOptions): Promise<Figure[]> {
  const size = options.isQuick ? QUICK : FULL;
  const told = figuresOf('year');
  const stage = await setStage();
  try {
    const redis = openRedis(stage.redisUrl, 'commands');
    stage.push(() => redis.disconnect());
    const address = { address: stage.redisUrl, withinMs: CONNECTED_WITHIN_MS };
    await untilConnected(redis, address);
    await redis.config('SET', 'slowlog-log-slower-than', SLOW_US);
    await redis.config('SET', 'slowlog-max-len', SLOW_MAX);
    const world = await simulate(redis, BASE_MS);
    const keys = keySpace('slotbridge');
    const store = openStores(world.client, { keys, clock: world.clock });
    const company = new Company(store, size, world.clock.now);
    await company.meet();
    const quarters: Quarter[] = [];
    let [changes, longestMs] = [0, 0];
    for (let quarter = 0; quarter < size.quarters; quarter += 1) {
      let [most, bytes] = [0, 0];
      for (let of = 0; of < QUARTER_DAYS; of += 1) {
        const day = quarter * QUARTER_DAYS + of;
        changes += await company.live(day);
        await world.goOn(DAY_MS);
        if (day % EXPIRED_EVERY_DAYS === 0) await world.expire();
        if (day % RETAINED_EVERY_DAYS !== 0) continue;
        const startedAtMs = performance.now();
        await retain({ ...store, log: SILENT });
        longestMs = Math.max(longestMs, performance.now() - startedAtMs);
        most = Math.max(most, await redis.dbsize());
        bytes = Math.max(bytes, Number(/used_memory:(\d+)/.exec(await redis.info('memory'))?.[1]));
      }
      quarters.push({ keys: most, bytes });
      options.say(`year: quarter ${quarter + 1}: ${most} keys, ${Math.round(bytes / KIB)} KiB`);
    }
    const [reference, last] = [quarters[REFERENCE], quarters.at(-1)];
    if (reference === undefined || last === undefined) throw new Error('no quarter was measured');
    told.note('changes taken in, settled and written', [changes, ''], {
      note: `${size.quarters * QUARTER_DAYS} days; appointments with four changes each, customers of whom as many leave as come, leads, outside bookings, dead letters.`,
    });
    const asked = `at most ${GROWTH_MAX} times the reference`;
    const flat = (what: string, unit: string, of: (quarter: Quarter) => number) => {
      const [figure, was] = [of(last), of(reference)];
      const about = `${what}, quarter ${quarters.length} against quarter 6`;
      const measured = { what: about, figure, reference: was, ratio: figure / was, unit, asked };
      told.atMost(was * GROWTH_MAX, { ...measured, needsFullSize: true });
    };
    flat('keys in Redis', '', ({ keys }) => keys);
    flat('used_memory', 'KiB', ({ bytes }) => bytes / KIB);
    const first = quarters[0];
    if (first !== undefined) told.note('keys in Redis in the first quarter', [first.keys, '']);
    told.note('longest retention', [longestMs / 1_000, 's'], {
      note: `One pass over all objects; every ${RETAINED_EVERY_DAYS} simulated days.`,
    });
    const slowest = await slowestCommand(redis);
    told.note('longest single command', [slowest.ms, 'ms'], {
      note: `${slowest.name}. As the slow log of Redis has it, from ${SLOW_US / 1_000} ms on.`,
    });
    told.atMost(0, {
      what: 'objects that still wait',
      figure: (await store.ledger.pending()).objects,
      unit: '',
    });
    const oldest = await company.isRemembered(0);
    told.atMost(0, { what: 'appointments of the first day that are remembered', figure: oldest, unit: '' });
    return told.figures;
  } finally {
    await stage.close();
  }
}

async function slowestCommand(redis: RedisClient): Promise<{ readonly ms: number; readonly name: string }> {
  const slow = (await redis.slowlog('GET', SLOW_MAX)) as readonly (readonly [
    id: number,
    at: number,
    us: number,
    args: readonly string[],
  ])[];
  const [first] = [...slow].sort(([, , a], [, , b]) => b - a);
  return first === undefined ? { ms: 0, name: 'none' } : { ms: first[2] / 1_000, name: first[3][0] ?? '' };
}

/** Does to the stores what a worker does when something changes, without Google and the platform. */
class Company {
  readonly #store: Stores;
  readonly #size: Size;
  readonly #now: () => number;
  #event = 0;
  #left = 0;

  constructor(store: Stores, size: Size, now: () => number) {
    this.#store = store;
    this.#size = size;
    this.#now = now;
  }

  async meet(): Promise<void> {
    await this.#each(this.#size.contacts, (nth) => this.#contact(nth));
  }

  /** Plays one day and returns how many changes it had. */
  async live(day: number): Promise<number> {
    const { appointments, contactChanges, contacts, turnover, leads, origins } = this.#size;
    const due = APPOINTMENT_CHANGES_ON.flatMap((after, change) =>
      day < after ? [] : [{ booked: day - after, change }],
    );
    for (const { booked, change } of due)
      await this.#each(appointments, (nth) => this.#appointment(booked * appointments + nth, booked, change));
    await this.#each(contactChanges, (nth) =>
      this.#contact(this.#left + ((day * 7_919 + nth * 31) % contacts)),
    );
    await this.#each(turnover, (nth) => this.#leave(this.#left + nth));
    this.#left += turnover;
    await this.#each(turnover, (nth) => this.#contact(this.#left + contacts - turnover + nth));
    await this.#each(leads, (nth) => this.#lead(day * leads + nth, true));
    const old = day - LEAD_STANDS_DAYS;
    if (old >= 0) await this.#each(leads, (nth) => this.#lead(old * leads + nth, false));
    await this.#each(origins, (nth) => this.#bookOutside(day * origins + nth));
    await this.#goWrong(day);
    await this.#flush();
    return due.length * appointments + contactChanges + 2 * turnover + (old < 0 ? leads : 2 * leads);
  }

  /** How many appointments that were booked on that day are still known. */
  async isRemembered(day: number): Promise<number> {
    const { appointments } = this.#size;
    const ids = Array.from({ length: appointments }, (_, nth) => uuid('a', day * appointments + nth));
    const claims = await Promise.all(ids.map((id) => this.#store.ledger.peek({ kind: 'appointment', id })));
    return claims.filter((claim) => claim !== undefined).length;
  }

  async #each(count: number, work: (nth: number) => Promise<unknown>): Promise<void> {
    for (let at = 0; at < count; at += AT_ONCE)
      await Promise.all(Array.from({ length: Math.min(AT_ONCE, count - at) }, (_, nth) => work(at + nth)));
  }

  #appointment(number: number, booked: number, change: number): Promise<void> {
    const bookedMs = BASE_MS + booked * DAY_MS;
    const startsAtMs = bookedMs + 8 * DAY_MS + (number % 10) * 3_600_000;
    const snapshot = {
      ...appointment(number, { changedAtMs: this.#now(), change, baseMs: bookedMs }),
      contact_id: uuid('c', number % this.#size.contacts),
      starts_at: new Date(startsAtMs).toISOString(),
      ends_at: new Date(startsAtMs + 1_800_000).toISOString(),
      comment: `change ${change}`,
    };
    return this.#mirror({ kind: 'appointment', id: snapshot.id }, snapshot, 'Visits');
  }

  #contact(number: number): Promise<void> {
    const snapshot = { ...contact(number, this.#now()), position: String(this.#now()) };
    return this.#mirror({ kind: 'contact', id: snapshot.id }, snapshot, 'Contacts');
  }

  #leave(number: number): Promise<void> {
    return this.#mirror({ kind: 'contact', id: uuid('c', number) }, undefined, 'Contacts');
  }

  #lead(number: number, stands: boolean): Promise<void> {
    const at = new Date(this.#now()).toISOString();
    const id = uuid('1', number);
    const own = { object: 'lead', id, project_id: PROJECT_ID, name: `Caller ${number}`, stands };
    return this.#mirror(
      { kind: 'lead', id },
      { ...own, phone: `+7912${1_000_000 + number}`, created_at: at, updated_at: at },
      'Leads',
    );
  }

  /**
   * Takes one change through the stores: observe, claim, write event and row, settle. The row of an object that is gone or no longer taken
   * is emptied.
   */
  async #mirror(key: EntityKey, snapshot: Snapshot | undefined, tab: string): Promise<void> {
    const isTaken = snapshot !== undefined && snapshot['stands'] !== false;
    const { intake, work, links, outbox, history, customerAppointments } = this.#store;
    const atMs = this.#now();
    const name = formatKey(key);
    this.#event += 1;
    await intake.observe({
      ...{ key, source: 'webhook', eventId: uuid('e', this.#event), eventType: `${key.kind}.updated` },
      ...{ occurredAtMs: atMs, projectId: PROJECT_ID },
      seen: snapshot === undefined ? { as: 'deleted' } : { as: 'snapshot', snapshot },
    });
    const claim = await work.claim(key);
    if (claim === undefined) throw new Error(`nothing is known of ${name}`);
    if (key.kind === 'appointment') {
      const person = people[Number.parseInt(key.id.slice(-6), 16) % people.length];
      const event = { calendarId: person?.calendarId ?? '', eventId: key.id.replaceAll('-', '') };
      const link = toLink({ ...event, etag: `"${this.#event}"`, hash: `h${this.#event}`, coloured: false });
      await links.write(claim, 'staff', { calendars: [link] });
      await customerAppointments.note(String(snapshot?.['contact_id']), key.id);
      history.note(name, { what: 'acted', atMs, by: 'worker', code: 'event-written' });
    }
    const cells = isTaken ? { Name: String(snapshot?.['name'] ?? name), Changed: String(atMs) } : undefined;
    await outbox.put(claim, {
      ...{ spreadsheetId: 'office', tab, mirror: tab.toLowerCase(), key: name, rowKey: key.id },
      ...{ cells, hash: isTaken ? `h${this.#event}` : 'cleared', occurredAtMs: atMs },
    });
    await work.settle(claim);
  }

  async #flush(): Promise<void> {
    for (;;) {
      const rows = await this.#store.outbox.pending('office', ROWS_PER_FLUSH);
      if (rows.length === 0) return;
      await this.#store.outbox.confirm(rows);
    }
  }

  async #bookOutside(number: number): Promise<void> {
    const { intents } = this.#store;
    const origin = `calendar/${number}`;
    const key = uuid('f', number);
    const wish = { op: 'cancel', appointmentId: uuid('a', number), notifyCustomer: false } as const;
    const subject = { op: 'cancel', wish } as const;
    await intents.begin(origin, { key, body: '{}', generation: 1, storedAtMs: this.#now(), ...subject });
    await intents.settle(origin, { key, op: 'cancel', generation: 1, outcome: 'done', atMs: this.#now() });
  }

  /** Adds what fails (a dead letter, a quarantined delivery) and what people do (an approval, a counted mail). */
  async #goWrong(day: number): Promise<void> {
    const { intake, work, acts, tally } = this.#store;
    const atMs = this.#now();
    const key: EntityKey = { kind: 'conversation', id: uuid('5', day) };
    const snapshot = { id: key.id, customer_name: `Writer ${day}`, updated_at: new Date(atMs).toISOString() };
    await intake.observe({ key, source: 'webhook', occurredAtMs: atMs, seen: { as: 'snapshot', snapshot } });
    const claim = await work.claim(key);
    if (claim === undefined) throw new Error('nothing to give up');
    const reasons = [{ mirror: 'chats', code: 'google-refused', message: 'refused' }];
    await work.deadLetter(claim, { key: formatKey(key), atMs, attempts: 5, reasons });
    await intake.quarantine({ atMs, reason: 'no-object', body: `{"day":${day}}`, eventId: uuid('6', day) });
    const act = {
      id: uuid('7', day),
      atMs,
      who: 'boris',
      role: 'ops',
      what: 'approved',
      why: 'meant',
    } as const;
    await acts.note({ ...act, about: { approval: 'approved-mails' } });
    await tally.count('mailed', uuid('a', day), 600_000);
  }
}
