import { describe, expect, it } from 'vitest';
import type { Wire } from '../../demo/judge/company.ts';
import { Ledger } from '../../demo/staff/ledger.ts';

const AT = { calendarId: 'c', eventId: 'e' };
const EVENT: Wire = {
  id: 'e',
  summary: 'Haircut',
  colorId: '3',
  transparency: 'transparent',
  reminders: { useDefault: false, overrides: [{ method: 'popup', minutes: 20 }] },
};

function changed(
  ledger: Ledger,
  event: Wire | undefined,
  options: { peoples?: boolean; notes?: [string, string][] } = {},
) {
  return ledger.changed({
    event: () => event,
    isColourPeoples: () => options.peoples ?? true,
    notes: new Map(options.notes ?? []),
  });
}

describe("people's own", () => {
  it('is as it was left when nobody touched it', () => {
    const ledger = new Ledger();
    ledger.own(AT, { colour: '3' });
    ledger.own(AT, { reminder: 20, transparency: 'transparent' });
    ledger.note('row-1', 'ask');
    ledger.copied({ ...AT, eventId: 'copy' }, 'Haircut');
    expect(changed(ledger, EVENT, { notes: [['row-1', 'ask']] })).toEqual([]);
    expect(ledger.counts).toEqual({ fields: 1, copies: 1, notes: 1 });
  });

  for (const [field, event] of [
    ['colour', { ...EVENT, colorId: '5' }],
    ['reminder', { ...EVENT, reminders: { useDefault: true } }],
    ['transparency', { ...EVENT, transparency: undefined }],
  ] as const) {
    it(`is missed when the ${field} is another one`, () => {
      const ledger = new Ledger();
      ledger.own(AT, { colour: '3', reminder: 20, transparency: 'transparent' });
      expect(changed(ledger, event)).toEqual([`${field} of event e in c`]);
    });
  }

  it('is no colour where the mapping gives one, and nothing in an event that is gone', () => {
    const ledger = new Ledger();
    ledger.own(AT, { colour: '3' });
    expect(changed(ledger, { ...EVENT, colorId: '5' }, { peoples: false })).toEqual([]);
    expect(changed(ledger, undefined)).toEqual([]);
    ledger.gone(AT);
    expect(changed(ledger, { ...EVENT, colorId: '5' })).toEqual([]);
  });

  it('is the hour that they chose by an event of a room or a team, not by the event itself', () => {
    const ledger = new Ledger();
    expect(ledger.isMovedBeside('e', 'a')).toBe(false);
    ledger.moved(AT, 'a');
    expect(ledger.isMovedBeside('e', 'a')).toBe(false);
    ledger.moved({ ...AT, eventId: 'team' }, 'a');
    expect([ledger.isMovedBeside('e', 'a'), ledger.isMovedBeside('e', 'b')]).toEqual([true, false]);
  });

  it('is a word beside a row, until the row is deleted', () => {
    const ledger = new Ledger();
    ledger.note('row-1', 'ask');
    expect(changed(ledger, undefined, { notes: [['row-2', 'ask']] })).toEqual(['the word beside row row-1']);
    ledger.rowDeleted('row-1');
    expect(changed(ledger, undefined)).toEqual([]);
  });

  it('is a copy, which has to stay as it is', () => {
    const ledger = new Ledger();
    ledger.copied(AT, 'Haircut');
    expect(changed(ledger, undefined)).toEqual(['the copy e in c']);
    expect(changed(ledger, { ...EVENT, summary: 'Massage' })).toEqual(['the copy e in c']);
    expect(ledger.isCopy(AT)).toBe(true);
  });
});
