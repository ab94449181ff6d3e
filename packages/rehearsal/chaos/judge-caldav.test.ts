// The judge against a real radicale in which people removed, doubled and changed an event by hand.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeOn } from '../../../test/caldav/servers/describe.ts';
import { type CaldavColleague, startCaldavColleague } from '../demo/caldav/calendar.ts';
import { judge } from './judge.ts';
import { Ledger, newSubject } from './ledger.ts';
import { planOf } from './plan.ts';

const ID = '11111111-1111-4111-8111-111111111111';
const START = '2026-03-03T07:00:00.000Z';
const EVENT = [
  ...['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//people//of the shop//EN', 'BEGIN:VEVENT'],
  ...[`UID:sb${ID.replaceAll('-', '')}-0123456789`, 'DTSTAMP:20260301T000000Z'],
  ...['DTSTART:20260303T070000Z', 'DTEND:20260303T074500Z', 'SUMMARY:Haircut\\, Customer A1'],
  ...['DESCRIPTION:Phone +74951000001', 'END:VEVENT', 'END:VCALENDAR', ''],
].join('\r\n');

describeOn('radicale', () => {
  let folder: string;
  let galina: CaldavColleague;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'sb-judge-'));
    const started = await startCaldavColleague({ folder, random: () => 1 });
    if (started === undefined) throw new Error('radicale cannot be run');
    galina = started;
  }, 60_000);
  afterAll(async () => {
    await galina.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const put = (name: string, text: string) => galina.phone.put(`${galina.phoneCalendar}${name}.ics`, text);
  const remove = (name: string) => galina.phone.remove(`${galina.phoneCalendar}${name}.ics`);

  function found(): readonly string[] {
    const ledger = new Ledger();
    const phone = '+74951000001';
    const wish = { by: 'platform', start: START, resource: 'galina' } as const;
    ledger.add(newSubject({ name: 'A1', origin: 'platform', phone, appointmentId: ID }, wish));
    const appointment = {
      ...{ id: ID, status: 'confirmed', resource_id: 'galina', resource_ids: ['galina'], starts_at: START },
      ...{ ends_at: '2026-03-03T07:45:00.000Z', service_name: 'Haircut', customer_name: 'Customer A1' },
      customer_phone: phone,
    };
    const rows = [[], [ID, 'confirmed', '2026-03-03 10:00', 'Customer A1']];
    const violations = judge({
      observed: {
        ...{ appointments: [appointment], contacts: [], mails: [], googleMails: 0 },
        ...{ deadLetters: [], notIdle: [], crashes: [] },
        calendars: new Map([[galina.calendarId, galina.events()]]),
        tabs: new Map([['Visits', rows]]),
      },
      ...{ ledger, settings: planOf(1).settings },
      company: {
        calendars: new Map([['galina', galina.calendarId]]),
        names: new Map([['galina', 'galina']]),
      },
    });
    const isOfTeam = (text: string) => text.includes('the team');
    return violations.filter(({ text }) => !isOfTeam(text)).map(({ kind }) => kind);
  }

  it('says what was removed, doubled and changed there, and nothing where all is right', async () => {
    await put('one', EVENT);
    expect(found()).toEqual([]);
    await remove('one');
    expect(found()).toEqual(['missing-event']);
    await put('one', EVENT);
    await put('two', EVENT.replace(/(?<=UID:sb[0-9a-f]{32})-0123456789/, 'g2-0123456789'));
    expect(found()).toEqual(['double-event']);
    await remove('two');
    await put('one', EVENT.replace('T070000Z', 'T071500Z'));
    expect(found()).toEqual(['stale-event']);
    await put('one', EVENT);
    await put('two', EVENT.replace(ID.replaceAll('-', ''), 'f'.repeat(32)));
    expect(found()).toEqual(['stray-event']);
  });
});
