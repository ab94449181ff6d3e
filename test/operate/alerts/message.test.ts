import { expect, test } from 'vitest';
import { ALERT_NAMES, type AlertNotice } from '../../../src/engine/alert.ts';
import { noticesMessage, RUNBOOK_SECTIONS } from '../../../src/operate/alerts/alerter.ts';
import { problemConditions } from '../../../src/operate/alerts/conditions.ts';
import { placeWords } from '../../../src/operate/alerts/words.ts';
import { read } from '../../house/tree.ts';
import { ANNA, BOOK, startWorld } from '../../stand/world.ts';

const problem = (target: string) => ({
  ...{ target, code: 'calendar-not-shared', message: 'it is not shared', advice: 'Share it.' },
  ...{ since: '2026-11-28T03:00:00Z', last_at: '2026-11-28T03:00:00Z' },
});

test('a calendar, a tab and a spreadsheet are named as their owner knows them, and no person is', async () => {
  const world = await startWorld();
  try {
    const placeOf = placeWords(world.config(0));
    const told = (target: string) => problemConditions(problem(target), placeOf).text;
    expect(told(`calendar:${ANNA}`)).toMatch(
      /^calendar:\[email \w{6}\], a calendar of the mirror \S+: it is not shared/,
    );
    expect(told('tab:contacts')).toBe(
      'tab:contacts, the tab "Contacts": it is not shared (calendar-not-shared)',
    );
    expect(told(`spreadsheet:${BOOK}`)).toContain('the spreadsheet with the tabs "Contacts", "Visits": ');
    expect(told(`spreadsheet:${BOOK}/Contacts`)).toContain(
      'the spreadsheet with the tabs "Contacts", "Visits": ',
    );
    expect(told('platform')).toBe('platform: it is not shared (calendar-not-shared)');
    expect(told(`calendar:${ANNA}`).toLowerCase()).not.toContain('anna');
  } finally {
    await world.close();
  }
});

const notice = (what: AlertNotice['what']): AlertNotice => ({
  ...{ what, alert: 'coverage', subject: 'event feed', text: 'event feed: no proof', advice: 'Look.' },
  ...{ atMs: 0, stoodMs: 0, isLogged: true },
});

test('a message names the installation, and links to the console and to the section of the runbook', () => {
  const about = { installation: 'slotbridge at bridge.example.com', dropped: 0 };
  const consoleUrl = 'https://bridge.example.com/console';
  expect(noticesMessage([notice('raised')], { ...about, consoleUrl })).toBe(
    [
      '[slotbridge at bridge.example.com] ALERT coverage: event feed: no proof',
      '  -&gt; Look.',
      'Console: https://bridge.example.com/console',
      'Runbook: docs/runbook.md#alert-coverage',
    ].join('\n'),
  );
  expect(noticesMessage([notice('cleared')], about)).not.toContain('unbook');
});

test('the runbook has a section for every alert', () => {
  const headings = [...read('docs/runbook.md').matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^a-z0-9 -]/g, '')
      .replaceAll(' ', '-'),
  );
  expect(ALERT_NAMES.filter((name) => !headings.includes(RUNBOOK_SECTIONS[name]))).toEqual([]);
});
