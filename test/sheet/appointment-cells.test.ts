/** What becomes of one changed cell of an appointment's row, by the pure decision: one row per situation. */

import { describe, expect, test } from 'vitest';
import { appointmentState, contentHash, type Snapshot, visibleState } from '../../src/engine/object.ts';
import type { RowEdit, RowNote, SheetCarry } from '../../src/engine/row-edit.ts';
import { decideAppointmentEdit, hashOfEdit } from '../../src/sheet/decide-appointment-cell.ts';

const MINUTE = 60_000;
const NOW = Date.parse('2026-03-02T09:00:00Z');
const [TEN, TWELVE, ONE] = [
  '2026-03-03T10:00:00.000Z',
  '2026-03-03T12:00:00.000Z',
  '2026-03-03T13:00:00.000Z',
];
const TEN_IN_BERLIN = '2026-03-03T11:00:00 Europe/Berlin';
const iso = (atMs: number) => new Date(atMs).toISOString();

const CARRY: SheetCarry = {
  ...{ answerHeader: 'Answer', conflict: 'platform', language: 'en', notifyCustomer: false },
  columns: [
    { header: 'Start', field: 'start' },
    { header: 'Name', field: 'shown' },
    { header: 'Cancel', field: 'cancel' },
    { header: 'Stage', field: 'lifecycle' },
  ],
};
/** Somebody typed twelve in a row that showed ten. */
const TYPED: RowEdit = {
  ...{ mirror: 'visits', header: 'Start', text: '12:00', startsAt: TWELVE, as: '7', base: TEN_IN_BERLIN },
  ...{ sinceMs: NOW - 30 * MINUTE, seenAtMs: NOW },
};
const TICKED: RowEdit = {
  ...{ mirror: 'visits', header: 'Cancel', text: 'true', as: '7', base: TEN_IN_BERLIN },
  ...{ sinceMs: NOW - 30 * MINUTE, seenAtMs: NOW },
};

const appointment = (more: Record<string, unknown> = {}): Snapshot => ({
  ...{ id: '1', status: 'confirmed', starts_at: TEN, ends_at: '2026-03-03T11:00:00Z' },
  ...{ resource_id: 'r', resource_ids: ['r'], updated_at: iso(NOW - 60 * MINUTE), ...more },
});
const OBJECT = appointment();
/** The platform has moved it to one o'clock. */
const MOVED = appointment({ starts_at: ONE, ends_at: '2026-03-03T14:00:00Z' });

interface Situation {
  readonly edit?: Partial<RowEdit>;
  readonly object?: Snapshot | 'not shown';
  readonly note?: Partial<RowNote>;
  readonly conflict?: SheetCarry['conflict'];
  readonly nowMs?: number;
}
type Row = [string, Situation, object];

function decided(
  typed: RowEdit,
  { edit, object = OBJECT, note, conflict = 'platform', nowMs = NOW }: Situation,
) {
  return decideAppointmentEdit({
    ...{ edit: { ...typed, ...edit }, carry: { ...CARRY, conflict }, nowMs },
    object: object === 'not shown' ? undefined : object,
    note: { done: [], refused: [], of: '', answered: [], sent: [], ...note },
  });
}

const NOTHING = { type: 'nothing' };
const refused = (code: string) => ({ type: 'refuse', code });
const agreed = (isOurs: boolean) => ({ type: 'agreed', isOurs });
const move = (object = OBJECT) => ({
  type: 'carry',
  field: 'start',
  value: TWELVE,
  over: appointmentState(object),
});
const cancel = (object = OBJECT) => ({
  type: 'carry',
  field: 'cancel',
  value: '',
  over: appointmentState(object),
});
const answered = (more: Partial<RowNote['answered'][number]> = {}): Partial<RowNote> => ({
  answered: [{ header: 'Start', as: '7', hash: hashOfEdit(TYPED), isKnown: false, ...more }],
});
const sent = (more: Partial<RowNote['sent'][number]> = {}): Partial<RowNote> => ({
  sent: [{ header: 'Start', hash: hashOfEdit(TYPED), over: appointmentState(OBJECT), ...more }],
});
/** Another showing of the row, so that the answer is not to this very change. */
const before = { header: 'Start', as: '6', hash: hashOfEdit(TYPED), isKnown: false };
const asked: Partial<RowNote> = {
  ...{ refused: [{ header: 'Start', code: 'again' }], answered: [before] },
  of: contentHash(visibleState(OBJECT)),
};

describe('a typed start', () => {
  const again = { doubt: 'again' } as const;
  const meanwhile = refused('changed-meanwhile');
  const latest = { object: MOVED, conflict: 'latest' } as const;
  const updated = (atMs: number) => appointment({ starts_at: ONE, updated_at: iso(atMs) });
  test.each<Row>([
    ['is carried', {}, move()],
    ['of a column that is not carried is nothing', { edit: { header: 'Since' } }, NOTHING],
    ['of a contact’s column is nothing', { edit: { header: 'Stage' } }, NOTHING],
    ['of a column that only shows goes back', { edit: { header: 'Name' } }, refused('only-shown')],
    [
      'of a column that only shows says its doubt',
      { edit: { header: 'Name', doubt: 'many' } },
      refused('many'),
    ],
    ['is answered once', { note: answered() }, NOTHING],
    ['is answered again in another showing', { note: answered({ as: '6' }) }, move()],
    ['is answered after another', { note: answered({ hash: 'other' }) }, move()],
    ['is answered in its own column', { note: answered({ header: 'Cancel' }) }, move()],
    ['is answered again if no showing is known', { edit: { as: '' }, note: answered({ as: '' }) }, move()],
    ['is answered among others', { note: { answered: [before, ...(answered().answered ?? [])] } }, NOTHING],
    ['has no appointment', { object: 'not shown' }, refused('not-found')],
    [
      'has an appointment without an hour',
      { object: appointment({ starts_at: null }) },
      refused('not-found'),
    ],
    ['is there already', { edit: { startsAt: TEN } }, agreed(false)],
    [
      'is there by the worker',
      { edit: { startsAt: TEN }, note: sent({ hash: contentHash(TEN) }) },
      agreed(true),
    ],
    [
      'is there by a tick of the worker’s',
      { edit: { startsAt: TEN }, note: sent({ header: 'Cancel', hash: contentHash(TEN) }) },
      agreed(false),
    ],
    [
      'of a cancelled appointment moves nothing',
      { edit: { startsAt: TEN }, object: appointment({ status: 'cancelled' }) },
      refused('not-movable'),
    ],
    ['in doubt goes back', { edit: { doubt: 'copied' } }, refused('copied')],
    ['that was emptied goes back', { edit: { text: ' ', startsAt: undefined } as never }, refused('emptied')],
    [
      'that is no hour goes back',
      { edit: { text: 'soon', startsAt: undefined } as never },
      refused('no-start'),
    ],
    ['that begins now goes back', { edit: { startsAt: iso(NOW) } }, refused('past')],
    ['of an appointment that begins now goes back', { nowMs: Date.parse(TEN) }, refused('started')],
    [
      'of one who has arrived goes back',
      { object: appointment({ status: 'arrived' }) },
      refused('not-movable'),
    ],

    ['that another row shows is asked about', { edit: again }, refused('again')],
    ['is believed when it is typed again', { edit: again, note: asked }, move()],
    [
      'is not believed if another was asked about',
      { edit: { ...again, startsAt: ONE }, note: asked },
      refused('again'),
    ],
    [
      'is not believed if the appointment changed since',
      { edit: again, note: { ...asked, of: 'other' } },
      refused('again'),
    ],
    [
      'is not believed if another column was asked about',
      { edit: again, note: { ...asked, refused: [{ header: 'Cancel', code: 'again' }] } },
      refused('again'),
    ],
    [
      'is not believed if it was refused for another reason',
      { edit: again, note: { ...asked, refused: [{ header: 'Start', code: 'copied' }] } },
      refused('again'),
    ],
    [
      'is not believed if the answer was to another column',
      { edit: again, note: { ...asked, answered: [{ ...before, header: 'Cancel' }] } },
      refused('again'),
    ],
    [
      'is believed beside another question',
      {
        edit: again,
        note: {
          ...asked,
          refused: [
            { header: 'Name', code: 'only-shown' },
            { header: 'Start', code: 'again' },
          ],
        },
      },
      move(),
    ],

    ['is sent again while nothing has changed', { note: sent() }, move()],
    ['is not sent again over a change', { object: MOVED, conflict: 'staff', note: sent() }, meanwhile],
    ['is sent after another', { note: sent({ hash: 'other', over: 'other' }) }, move()],

    ['loses against the platform', { object: MOVED }, meanwhile],
    ['wins if the mapping says so', { object: MOVED, conflict: 'staff' }, move(MOVED)],
    ['wins if it is later', latest, move(MOVED)],
    ['loses if both are of one moment', { ...latest, object: updated(TYPED.sinceMs) }, meanwhile],
    [
      'loses if nothing says when',
      { ...latest, object: appointment({ starts_at: ONE, updated_at: null }) },
      meanwhile,
    ],
    ['loses if nobody had looked before', { ...latest, edit: { sinceMs: 0 } }, meanwhile],
    [
      'is carried over a move of this row',
      { object: MOVED, note: answered({ hash: contentHash(ONE), isKnown: true }) },
      move(MOVED),
    ],
    [
      'is carried over a request of this row',
      { object: MOVED, note: sent({ hash: contentHash(ONE) }) },
      move(MOVED),
    ],
    [
      'loses after a refusal of this row',
      { object: MOVED, note: answered({ hash: contentHash(ONE) }) },
      meanwhile,
    ],
    [
      'loses after a move of another showing',
      { object: MOVED, note: answered({ as: '6', hash: contentHash(ONE), isKnown: true }) },
      meanwhile,
    ],
    [
      'loses after a move of this row to another hour',
      { object: MOVED, note: answered({ hash: contentHash(TEN), isKnown: true }) },
      meanwhile,
    ],
    [
      'loses after a request of this row for another hour',
      { object: MOVED, note: sent({ hash: contentHash(TEN) }) },
      meanwhile,
    ],
    ['is carried from a row in another zone', { edit: { base: '2026-03-03T10:00:00 UTC' } }, move()],
    ['is not carried if nothing says what was shown', { edit: { base: undefined } as never }, meanwhile],
    ['is not carried if nothing says in which zone', { edit: { base: '2026-03-03T11:00:00' } }, meanwhile],
  ])('%s', (_, situation, expected) => {
    expect(decided(TYPED, situation)).toEqual(expected);
  });
});

describe('a tick', () => {
  test.each<Row>([
    ['cancels', {}, cancel()],
    ['that was taken out cancels nothing', { edit: { text: '' } }, refused('no-tick')],
    ['is there already', { object: appointment({ status: 'cancelled' }) }, agreed(false)],
    [
      'is there by the worker',
      {
        object: appointment({ status: 'cancelled' }),
        note: sent({ header: 'Cancel', hash: hashOfEdit(TICKED) }),
      },
      agreed(true),
    ],
    ['in doubt goes back', { edit: { doubt: 'ticks' } }, refused('ticks')],
    [
      'of one who has arrived goes back',
      { object: appointment({ status: 'arrived' }) },
      refused('not-cancellable'),
    ],
    ['of an appointment that begins now goes back', { nowMs: Date.parse(TEN) }, refused('started')],
    ['of an appointment that moved meanwhile goes back', { object: MOVED }, refused('changed-meanwhile')],
  ])('%s', (_, situation, expected) => {
    expect(decided(TICKED, situation)).toEqual(expected);
  });
});

test('the same hour is the same change, however it is written', () => {
  expect(hashOfEdit({ ...TYPED, text: '12.00' })).toBe(hashOfEdit(TYPED));
  expect(hashOfEdit({ ...TYPED, startsAt: ONE })).not.toBe(hashOfEdit(TYPED));
  expect(hashOfEdit({ ...TICKED, text: '' })).not.toBe(hashOfEdit(TICKED));
});
