// P9: text from elsewhere adds no line to what programs read line by line.
import { expect, test } from 'vitest';
import { formatLiveReport } from '../../src/cli/check.ts';
import { csv } from '../../src/operate/audit-text.ts';
import { createLog } from '../../src/operate/log.ts';
import { createMetrics } from '../../src/operate/metrics.ts';
import { KeptLines } from '../doubles/kept-lines.ts';

/** Every control character, and every line and paragraph separator. */
const BREAKERS = [...Array(0xa0).keys(), 0x2028, 0x2029]
  .map((code) => String.fromCodePoint(code))
  .filter((character) => /[\p{Cc}\p{Zl}\p{Zp}]/u.test(character));
const TEXT = `a${BREAKERS.join('b')}c`;
const OTHERS = /[^\P{Cc}\n]|[\p{Zl}\p{Zp}]/u;

test('a CSV file has one line for each row', () => {
  const file = csv(['name', 'place'], [[TEXT, 'here']]);
  expect(file.replace('\r\n', '')).not.toMatch(/[^\P{Cc}\t]|[\p{Zl}\p{Zp}]/u);
  expect(file.split('\r\n')).toEqual(['name,place', expect.stringMatching(/^a .* c,here$/)]);
});

test.each([true, false])(
  'a log line is one line, and its text reads back as it was (terminal: %s)',
  (isTTY) => {
    const lines = new KeptLines(isTTY);
    const format = isTTY ? 'pretty' : 'json';
    createLog({ level: 'info', format, stream: lines }).info({ mirror: TEXT }, 'object mirrored');
    const colour = new RegExp(`${String.fromCodePoint(27)}\\[\\d+m`, 'g');
    expect(lines.text.replaceAll(colour, '').slice(0, -1)).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}]/u);
    if (!isTTY) expect(lines.records[0]).toMatchObject({ mirror: TEXT });
  },
);

test('a label of a metric is on one line', async () => {
  const metrics = createMetrics();
  metrics.meter.add('slotbridge_events_total', { via: TEXT, outcome: 'fresh' });
  const text = await metrics.text();
  expect(text).toContain('via="a b b');
  expect(text).not.toMatch(OTHERS);
});

test('a finding of the live check is on one line', () => {
  const text = formatLiveReport({
    account: TEXT,
    findings: [{ side: 'google', subject: TEXT, verdict: 'ok', detail: TEXT }],
    ok: true,
  } as unknown as Parameters<typeof formatLiveReport>[0]);
  expect(text).not.toMatch(OTHERS);
  expect(text.split('\n')).toHaveLength(4);
});
