import { describe, expect, test } from 'vitest';
import { DeferredError } from '../../src/engine/errors.ts';
import { eventIdOf } from '../../src/engine/ids.ts';
import type { CalendarEvent } from '../../src/google/calendar-event.ts';
import { judgeEvent, judgeRow, orUnread, rewritten, type Unread } from '../../src/operate/forget/look.ts';

const ID = 'abcdef11-1111-4111-8111-111111111111';
const OTHER = '22222222-2222-4222-8222-222222222222';
const PHONE = '+74950001101';
const TERMS = { ids: [ID], phones: [PHONE], emails: [], names: ['Vera Orlova'], hashes: [] };

describe('a row', () => {
  test.each<[string, unknown[], ReturnType<typeof judgeRow>]>([
    ['of nobody', ['', 'Lunch', 5], undefined],
    [
      'with an id of the person loses all its texts, and numbers only where they name the person',
      [ID, 'Haircut', 5, true, 74950001101, 'nuts', null, undefined, ''],
      { verdict: 'remove', columns: [0, 1, 4, 5] },
    ],
    [
      'whose id is written otherwise is the person’s too',
      [` ${ID.toUpperCase()} `, 'Haircut'],
      { verdict: 'remove', columns: [0, 1] },
    ],
    [
      'with an id of the person beside one of somebody else is the person’s',
      [OTHER, ID],
      { verdict: 'remove', columns: [0, 1] },
    ],
    [
      'with an id of somebody else is theirs, even if it names the person in full',
      [OTHER, 'Vera Orlova', PHONE],
      { verdict: 'leave', columns: [] },
    ],
    ['of a namesake is left', ['', 'Vera Orlova'], { verdict: 'leave', columns: [] }],
    [
      'without an id loses what names the person, each word of the name included',
      ['', 'Vera', PHONE, 'nuts', '', 'Orlova, Haircut', 7],
      { verdict: 'rewrite', columns: [1, 2, 5] },
    ],
    [
      'with the id inside of a text loses that text only',
      ['call', `see ${ID}`, 'Haircut'],
      { verdict: 'rewrite', columns: [1] },
    ],
    [
      'with something longer than an id around an id is no row with an id',
      ['call', `${OTHER}1`, `0${OTHER}`, 'Vera Orlova', PHONE],
      { verdict: 'rewrite', columns: [3, 4] },
    ],
  ])('%s', (_, cells, verdict) => {
    expect(judgeRow(cells, TERMS)).toEqual(verdict);
  });

  test('a blank cell is no text, even for people of that name', () => {
    const cells = [null, undefined, 'Jim Null', 'Undefined', PHONE];
    const terms = { ...TERMS, names: ['Jim Null', 'Undefined'] };
    expect(judgeRow(cells, terms)).toEqual({ verdict: 'rewrite', columns: [2, 3, 4] });
  });

  test('an empty word of the name finds no empty cell', () => {
    expect(judgeRow(['', PHONE], { ...TERMS, names: [] })).toEqual({ verdict: 'rewrite', columns: [1] });
  });
});

describe('an event', () => {
  const event = (about: object) =>
    ({ id: 'typed', etag: '"1"', status: 'confirmed', ...about }) as CalendarEvent;
  const marked = (text: string) => ({ extendedProperties: { private: { note: text, other: 'Lunch' } } });

  test.each<[string, object, string | undefined]>([
    ['of nobody', { summary: 'Lunch' }, undefined],
    ['that was deleted is Google’s', { id: eventIdOf(ID), status: 'cancelled' }, undefined],
    ['of the person', { id: eventIdOf(ID) }, 'remove'],
    ['marked for the person by a copy is no proof', marked(ID.replace('a', 'b')), undefined],
    ['of somebody else', { id: eventIdOf(OTHER), summary: `Vera Orlova ${PHONE}` }, 'leave'],
    ['of a namesake', { summary: 'Vera Orlova' }, 'leave'],
    ['of people about the person', { summary: `Vera Orlova ${PHONE}` }, 'rewrite'],
    ['that names the person only as a guest', { attendees: [{ email: `${ID}@x.example` }] }, 'leave'],
    ['that names the person only in a mark', marked(`for ${ID}`), 'rewrite'],
  ])('%s', (_, about, verdict) => {
    expect(judgeEvent(event(about), TERMS)).toBe(verdict);
  });

  test('of a class is rewritten for an id, and left for a name', () => {
    const id = eventIdOf(`c${'0'.repeat(32)}`);
    expect(judgeEvent(event({ id, description: `with ${ID}` }), TERMS)).toBe('rewrite');
    expect(judgeEvent(event({ id, description: `with Vera Orlova, ${PHONE}` }), TERMS)).toBe('leave');
  });

  test('loses the person from each of its texts and marks, and nothing else is written', () => {
    const texts = { summary: 'Vera Orlova', description: 'Lunch', location: `Vera, ${ID}` };
    expect(rewritten(event({ ...texts, ...marked('Orlova') }), TERMS)).toEqual({
      ...{ summary: '…', location: '…, …' },
      extendedProperties: { private: { note: '…' } },
    });
    expect(rewritten(event({ description: 'Vera' }), TERMS)).toEqual({ description: '…' });
    expect(rewritten(event(marked('Lunch')), TERMS)).toEqual({});
    expect(rewritten(event({}), TERMS)).toEqual({});
  });

  test('of a class without a mark of guests keeps the rest of its description', () => {
    const id = eventIdOf(`c${'0'.repeat(32)}`);
    expect(rewritten(event({ id, description: `Bring a mat. ${ID}` }), TERMS)).toEqual({
      description: 'Bring a mat. …',
    });
  });
});

describe('a place that cannot be read', () => {
  test('is told with the code, and the work goes on', async () => {
    const unread: Unread[] = [];
    await orUnread(unread, 'calendar anna', async () => undefined);
    expect(unread).toEqual([]);
    const gone = new DeferredError('calendar-gone', 'no', { retryAfterMs: 1 });
    await orUnread(unread, 'calendar anna', () => Promise.reject(gone));
    expect(unread).toEqual([{ place: 'calendar anna', code: 'calendar-gone' }]);
  });

  test('by a fault of the program ends the work', async () => {
    const fault = new Error('fault');
    await expect(orUnread([], 'calendar anna', () => Promise.reject(fault))).rejects.toBe(fault);
  });
});
