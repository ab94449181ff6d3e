import { DateTime } from 'luxon';
import { expect, test } from 'vitest';
import { localAt } from '../../../src/engine/zone-local.ts';
import { contactContext } from '../../../src/mapping/template.ts';

const ZONES = [
  ...['Europe/London', 'America/St_Johns', 'Asia/Kathmandu', 'Pacific/Apia', 'Antarctica/Troll', 'Etc/UTC'],
  ...['UTC', 'gmt', 'UTC+03:00', 'Nowhere/None'],
];
const DAY_MS = 86_400_000;
const NO_MOMENTS = ['2026-02-30T10:00:00Z', '2026-13-01T10:00:00.000Z', '2026-11-01T24:00:00Z', 'soon'];

/** As luxon writes it. */
function byLuxon(iso: string, zone: string): string {
  const local = localAt(DateTime.fromISO(iso, { zone: 'utc' }).toMillis(), zone).startOf('second');
  return local.toISO({ suppressMilliseconds: true }) ?? iso;
}

test.each(ZONES)('templates show the times of %s as luxon writes them, in every form of a moment', (zone) => {
  const moments = Array.from({ length: 400 }, (_, nth) =>
    new Date(Date.UTC(2000, 0, 1) + nth * 37.3 * DAY_MS).toISOString(),
  );
  const forms = moments.flatMap((iso) => {
    const seconds = iso.slice(0, 19);
    return [iso, `${seconds}Z`, `${seconds}.123456Z`, `${seconds}+03:00`, seconds];
  });
  const texts = [...forms, ...NO_MOMENTS];
  const shown = texts.map((iso) => contactContext({ id: 'a', created_at: iso }, zone)['created_at']);
  expect(shown).toEqual(texts.map((iso) => byLuxon(iso, zone)));
});
