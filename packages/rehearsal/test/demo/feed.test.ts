import { describe, expect, it } from 'vitest';
import { icalendar } from '../../../../src/calendar/feed-handler.ts';
import { feedDifferences } from '../../demo/judge/feed.ts';

const nowMs = Date.UTC(2026, 10, 23, 12);
const appointment = {
  ...{ resource_ids: ['anna'], status: 'confirmed', service_name: 'Cut, wash' },
  ...{ starts_at: '2026-12-01T09:00:00.000Z', ends_at: '2026-12-01T09:30:00.000Z' },
};
const ENTRY = ['20261201T090000Z', '20261201T093000Z', 'Cut\\, wa\r\n sh'] as const;

function file(...entries: readonly (readonly [string, string, string])[]): string {
  const lines = entries.map(
    ([start, end, title]) =>
      `BEGIN:VEVENT\r\nUID:x\r\nDTSTART:${start}\r\nDTEND:${end}\r\nSUMMARY:${title}\r\nEND:VEVENT\r\n`,
  );
  return `BEGIN:VCALENDAR\r\n${lines.join('')}END:VCALENDAR\r\n`;
}

const differences = (text: string, ...appointments: readonly Record<string, unknown>[]) =>
  feedDifferences(text, { appointments, resourceId: 'anna', nowMs });

describe('the judge of feeds', () => {
  it('finds nothing where the feed says what the platform says', () => {
    expect(differences(file(ENTRY), appointment)).toEqual([]);
  });

  it('sees what is missing, what is there twice, and what should not be there', () => {
    const line = '20261201T090000Z 20261201T093000Z Cut, wash';
    expect(differences(file(), appointment)).toEqual([`missing ${line}`]);
    expect(differences(file(ENTRY, ENTRY), appointment)).toEqual([`not expected ${line}`]);
    for (const about of [{ status: 'cancelled' }, { resource_ids: ['boris'] }])
      expect(differences(file(ENTRY), { ...appointment, ...about })).toEqual([`not expected ${line}`]);
  });

  it('takes the entry of an empty feed for no appointment', () => {
    expect(differences(icalendar('anna', []))).toEqual([]);
  });

  it('expects nothing of yesterday', () => {
    const earlier = {
      ...appointment,
      starts_at: '2026-11-22T11:00:00.000Z',
      ends_at: '2026-11-22T11:30:00.000Z',
    };
    expect(differences(file(), earlier)).toEqual([]);
  });
});
