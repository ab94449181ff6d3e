/** What people did to an event right before the writer got to it: whether it is kept for staff edits (P1, P7), or put right. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { EventWriter, type EventWriterParts } from '../../src/calendar/event-writer.ts';
import { eventIdOf } from '../../src/engine/ids.ts';
import { type CalendarLink, type StoredLink, toLink, writtenMark } from '../../src/engine/link.ts';
import { ANNA, BORIS, mirror, NOW_MS, openStand, type Stand, startMsOf } from './stand.ts';

/** When the worker wrote the event, where it is to be, and where people have moved it. */
const [TEN, TWELVE, FIVE] = ['2026-11-03T10:00:00Z', '2026-11-03T12:00:00Z', '2026-11-03T17:00:00Z'];
const BEFORE = '2026-11-01T10:00:00Z';
const EDITS = { ...mirror.staffEdits, moved: 'reschedule', deleted: 'cancel' } as const;
const REVERTS = { moved: 'revert', deleted: 'restore' } as const;

let stand: Stand;
beforeAll(async () => {
  stand = await openStand();
});
afterAll(() => stand.close());

const momentOf = (iso: string) => ({ dateTime: iso, timeZone: 'UTC' });
const hourAfter = (iso: string) => new Date(Date.parse(iso) + 3_600_000).toISOString();
const times = (iso: string) => ({ start: momentOf(iso), end: momentOf(hourAfter(iso)) });

interface Situation {
  /** Its id is none of the worker's: people have made it. */
  readonly isPeoples?: boolean;
  /** Where people have left the event. */
  readonly shows?: string | 'deleted' | 'gone';
  /** Private properties of the event. */
  readonly mark?: Readonly<Record<string, string>>;
  readonly colorId?: string;
  readonly link?: Partial<StoredLink>;
  /** The link knows the event as people have left it. */
  readonly isDecided?: boolean;
  readonly edits?: Partial<EventWriterParts['edits']>;
  /** Links to the same event in the calendar of Boris. */
  readonly elsewhere?: readonly Partial<StoredLink>[];
}

/** Writes the event for TWELVE. Says whether it was kept, what it shows then, and the last link that was stored before. */
async function written(how: 'update' | 'create', about: Situation) {
  const { shows = FIVE, mark = {}, colorId, link = {}, isDecided, edits, elsewhere = [] } = about;
  const appointmentId = randomUUID();
  const eventId = about.isPeoples ? appointmentId.replaceAll('-', '') : eventIdOf(appointmentId);
  const own = { slotbridge: '1', slotbridge_appointment: appointmentId, slotbridge_mirror: 'm' };
  const at = { calendarId: ANNA, eventId };
  const isThere = shows !== 'deleted' && shows !== 'gone';
  if (shows !== 'gone')
    stand.staff.add({
      ...{ calendarId: ANNA, id: eventId },
      event: {
        ...{ summary: 'Haircut', ...times(isThere ? shows : TEN), ...(colorId && { colorId }) },
        extendedProperties: { private: { ...own, ...mark } },
      },
    });
  if (shows === 'deleted') stand.staff.remove(at);
  const seen = await stand.api.get(ANNA, eventId);
  const etag = isDecided && seen !== 'absent' ? seen.etag : '"1"';
  const stored = { ...at, etag, hash: 'h', coloured: false, startsAt: TEN };
  const intended: CalendarLink[] = [];
  const writer = new EventWriter({
    ...{ api: stand.api, appointmentId, newId: () => eventId, status: 'confirmed', note: undefined },
    wanted: {
      body: {
        summary: 'Haircut',
        ...times(TWELVE),
        status: 'confirmed',
        extendedProperties: { private: own },
      },
      ...{ hash: 'new', sourceHash: 's' },
    },
    ...{
      edits: { ...EDITS, ...edits },
      clock: { now: () => NOW_MS },
      colours: () => new Set(),
      hasTwin: () => false,
    },
    isNamed: () => true,
    elsewhere: () => elsewhere.map((each) => toLink({ ...stored, calendarId: BORIS, ...each })),
    beforePutBack: async () => undefined,
    assertHeld: async () => undefined,
    intend: async (each) => void intended.push(each),
    forgo: async () => undefined,
  });
  const known = toLink({ ...stored, ...link });
  const end = await (how === 'update' ? writer.update(known) : writer.create(ANNA)).catch((error) => error);
  const now = stand.google.truth.event(ANNA, eventId);
  const [last] = intended.slice(-1);
  if (end instanceof Error) expect(end).toMatchObject({ code: 'edit-unseen', target: `calendar:${ANNA}` });
  if (end instanceof Error) expect(last?.edit).toMatchObject({ is: 'open', sinceMs: NOW_MS });
  const isLive = now !== undefined && now['status'] !== 'cancelled';
  return {
    is: end instanceof Error ? 'kept' : 'put right',
    shows: isLive ? startMsOf(now) : undefined,
    last,
  };
}

const kept = (iso?: string) => ({ is: 'kept', shows: iso === undefined ? undefined : Date.parse(iso) });
const RIGHT = { is: 'put right', shows: Date.parse(TWELVE) };

/** A write had no answer. */
const doubtful = { hash: '', status: 'confirmed' } as const;

describe('an event with a link', () => {
  test.each<[string, Situation, object]>([
    ['that people moved is kept', {}, kept(FIVE)],
    ['is put right where moves are undone', { edits: REVERTS }, RIGHT],
    ['of people is put right where moves are undone', { isPeoples: true, edits: REVERTS }, RIGHT],
    ['at the hour that was written is put right', { shows: TEN }, RIGHT],
    ['at an hour that was tried is put right', { link: { tried: [FIVE] } }, RIGHT],
    ['at the hour that is wanted is right', { shows: TWELVE }, RIGHT],
    ['of which people’s change was decided is put right', { isDecided: true, link: doubtful }, RIGHT],
    ['that strayed here is put right', { link: { strayed: true } }, RIGHT],
    ['that was let be is put right once the appointment changes', { link: { leftAt: 'p' } }, RIGHT],
    ['whose hour nobody knows is put right', { link: { startsAt: undefined } as never }, RIGHT],
    ['at its hour, while another one is elsewhere, is kept', { shows: TEN, elsewhere: [{}] }, kept(TEN)],
    [
      'at its hour, while a stray one is elsewhere, is put right',
      { shows: TEN, elsewhere: [{ strayed: true }] },
      RIGHT,
    ],
    [
      'in doubt at its hour, while another one is elsewhere, is put right',
      { shows: TEN, link: doubtful, elsewhere: [{}] },
      RIGHT,
    ],
  ])('%s', async (_, situation, expected) => {
    expect(await written('update', situation)).toMatchObject(expected);
  });
});

describe.each(['deleted', 'gone'] as const)('an event that is %s', (shows) => {
  const ignores = { edits: { deleted: 'restore', moved: 'ignore' } } as const;
  test.each<[string, Situation, object]>([
    ['waits for its decision', {}, kept()],
    ['waits, because it may have been dragged', ignores, kept()],
    ['waits while a write is in doubt', { link: doubtful }, kept()],
    ['comes back where all is undone', { edits: REVERTS }, RIGHT],
    ['of people waits, whatever is undone', { isPeoples: true, edits: REVERTS }, kept()],
    ['comes back if the worker was about to take it away', { link: { leaving: true } }, RIGHT],
    [
      'comes back if no answer ever confirmed it',
      { link: { startsAt: undefined, tried: [TEN] } as never },
      RIGHT,
    ],
    ['comes back once its deletion was let be', { link: { leftAt: 'p' } }, RIGHT],
  ])('%s', async (_, situation, expected) => {
    expect(await written('update', { shows, ...situation })).toMatchObject(expected);
  });
});

describe('an event without a link, under the id that is to be made', () => {
  const mark = writtenMark({ startsAt: TEN, calendarId: ANNA });
  const home = { elsewhere: [{}] };
  test.each<[string, Situation, object]>([
    ['is put right', {}, RIGHT],
    ['that the worker wrote at another hour is kept', { mark }, kept(FIVE)],
    ['at the hour that the worker wrote is put right', { mark, shows: TEN }, RIGHT],
    ['at the hour that is wanted is right', { mark, shows: TWELVE }, RIGHT],
    [
      'that the worker wrote elsewhere is put right',
      { mark: writtenMark({ startsAt: TEN, calendarId: BORIS }) },
      RIGHT,
    ],
    [
      'that the worker wrote for the past is put right',
      { mark: writtenMark({ startsAt: BEFORE, calendarId: ANNA }) },
      RIGHT,
    ],
    ['is put right where moves are undone', { mark, edits: REVERTS }, RIGHT],
    ['that was deleted comes back', { mark, shows: 'deleted' }, RIGHT],

    ['that was dragged here to another hour is kept', home, kept(FIVE)],
    ['that was dragged here at its hour is put right', { ...home, shows: TEN }, RIGHT],
    ['that was dragged here and deleted comes back', { ...home, shows: 'deleted' }, RIGHT],
    [
      'that was dragged from where nobody knows its hour is put right',
      { elsewhere: [{ startsAt: undefined } as never] },
      RIGHT,
    ],
  ])('%s', async (_, situation, expected) => {
    expect(await written('create', situation)).toMatchObject(expected);
  });

  test.each([[undefined], ['5']])('keeps what is known of it, with colour %s', async (colorId) => {
    const coloured = { coloured: colorId !== undefined };
    const colour = colorId === undefined ? {} : { colorId };
    const found = { calendarId: ANNA, ...coloured, event: { is: 'found', hour: { startsAt: TEN } } };
    expect((await written('create', { mark, ...colour })).last).toMatchObject(found);
    expect((await written('create', { ...home, ...colour })).last).toMatchObject(found);
  });
});
