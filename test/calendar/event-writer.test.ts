/** What people did to an event right before the writer got to it: whether it is kept for staff edits (P1, P7), or put right. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { writtenMark } from '../../src/engine/link.ts';
import { ANNA, BORIS, NOW_MS, openStand, type Stand, startMsOf } from './stand.ts';
import { FIVE, NO_QUOTAS, REVERTS, type Situation, TEN, TWELVE, write } from './writer-stand.ts';

const BEFORE = '2026-11-01T10:00:00Z';

let stand: Stand;
beforeAll(async () => {
  stand = await openStand({ quotas: NO_QUOTAS });
});
afterAll(() => stand.close());

/** Says whether the event was kept, what it shows then, and the last link that was stored before. */
async function written(how: 'update' | 'create', about: Situation) {
  const { error, event, intended } = await write(stand, how, about);
  const now = event();
  const [last] = intended.slice(-1);
  if (error) expect(error).toMatchObject({ code: 'edit-unseen', target: `calendar:${ANNA}` });
  if (error) expect(last?.edit).toMatchObject({ is: 'open', sinceMs: NOW_MS });
  const isLive = now !== undefined && now['status'] !== 'cancelled';
  return { is: error ? 'kept' : 'put right', shows: isLive ? startMsOf(now) : undefined, last };
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
    const has = colorId === undefined ? {} : { colorId };
    const found = { calendarId: ANNA, ...coloured, event: { is: 'found', hour: { startsAt: TEN } } };
    expect((await written('create', { mark, has })).last).toMatchObject(found);
    expect((await written('create', { ...home, has })).last).toMatchObject(found);
  });
});
