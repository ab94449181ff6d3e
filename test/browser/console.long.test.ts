// The console in a real browser, over a real Redis: what people see and do there.
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Page, Request } from 'playwright-core';
import { expect, it } from 'vitest';
import { linkTo } from '../../src/engine/link.ts';
import type { Role } from '../../src/engine/role.ts';
import { giveUp, observe, VERA } from '../console/objects.ts';
import { type ConsoleStand, useConsole } from '../console/stand.ts';
import { atLength, rowsOf } from '../stand/runs.ts';
import { seriousFaults } from './accessibility.ts';
import { describeInBrowser, type PageOptions, useBrowser } from './browser.ts';
import { takePicture } from './pictures.ts';

const STORY = `/console/object/appointment/${VERA.id}`;
const ANNA = 'anna@clinic.example';
const MAILED = '7b1c1b52-9d0f-4a34-8f6e-0d9e5c1f7a12';
const PAGES = [
  '/console',
  '/console/places',
  '/console/place/anna',
  '/console/changes',
  '/console/charts',
  '/console/charts?span=month',
  '/console/webhooks',
  '/console/letters',
  STORY,
  '/console/letters/retry',
  '/console/approvals',
  '/console/approvals/allow?name=approved-mails&kind=mails',
  '/console/again',
  '/console/again/replay?span=1h&type=',
  '/console/compare',
  '/console/acts',
  '/console/search',
  '/console/nothing',
];

describeInBrowser('the console in a browser', () => {
  const openConsole = useConsole();
  const browser = useBrowser();

  /** By the link that the command prints. */
  async function signIn(stand: ConsoleStand, role: Role, options: PageOptions = {}): Promise<Page> {
    const page = await browser.open(`${stand.url}/console/sign-in#${await stand.offer(role)}`, options);
    await page.waitForURL(`${stand.url}/console`);
    return page;
  }

  async function furnish(stand: ConsoleStand): Promise<void> {
    stand.stores.calendarIds.push('anna@clinic.example');
    stand.stores.problems = [
      {
        ...{ target: 'calendar:anna@clinic.example', code: 'calendar-not-shared', message: 'refused (403)' },
        ...{
          advice: 'Share it with the service account.',
          sinceMs: stand.clock.now() - 600_000,
          lastAtMs: 0,
        },
      },
    ];
    stand.stores.quotas = [
      {
        ...{ name: 'google-calendar:key', target: undefined, spent: 212, admitted: 400, limit: 600 },
        ...{ pausedUntilMs: undefined, reason: undefined, waiting: 3 },
      },
    ];
    const claim = await observe(stand, 'appointment', VERA);
    await giveUp(stand, claim, { mirror: 'staff', code: 'template-failed', message: 'the filter broke' });
    await furnishCharts(stand);
  }

  /** A working day of two mirrors. */
  async function furnishCharts(stand: ConsoleStand): Promise<void> {
    const steps = Array.from({ length: 300 }, (_, at) => ({
      ...{ atMs: stand.clock.now() - at * at * 27_000, mirror: at % 3 === 0 ? 'contacts' : 'staff' },
      ...{ writes: (at * 7) % 11, failures: at % 17 === 0 ? 2 : 0, slowestS: 0.5 + ((at * 5) % 13) },
    }));
    await stand.store.mirrorPace.add(steps);
  }

  /** Something that was stopped as too much at once. */
  async function furnishStorm(stand: ConsoleStand): Promise<void> {
    const mailed = await observe(stand, 'appointment', { ...VERA, id: MAILED });
    await giveUp(stand, mailed, { mirror: 'staff', code: 'mail-storm', message: 'm', target: 'platform' });
  }

  it('signs in by the link, which leaves neither history nor address behind', async () => {
    const stand = await openConsole();
    const page = await signIn(stand, 'viewer');
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Everything is mirrored');
    await page.goBack().catch(() => null);
    expect(page.url()).not.toContain('#');
  });

  const zones = [
    ['Europe/London', ' (09:00 Europe/London)'],
    ['Europe/Istanbul', ''],
    ['America/Los_Angeles', ' (01:00 America/Los_Angeles)'],
    ['Europe/Moscow', ''],
  ] as const;
  it.each(rowsOf(zones, 4))(
    'from %s, an appointment stands in the zone of its branch, and the own time in brackets',
    async (zone, own) => {
      const stand = await openConsole();
      await observe(stand, 'appointment', VERA);
      const page = await signIn(stand, 'desk', { zone });
      await page.goto(`${stand.url}${STORY}`);
      const shown = await page.locator('.hero p').first().textContent();
      expect(shown).toBe(`Mon 23 Nov, 12:00 – 12:45 Europe/Moscow${own}`);
      expect(await page.locator('[data-zone]').textContent()).toBe(zone);
    },
  );

  it('times are those of the branch, of the browser or UTC, as a person chooses', async () => {
    const stand = await openConsole();
    await observe(stand, 'appointment', VERA);
    const page = await signIn(stand, 'desk', { zone: 'America/Los_Angeles' });
    const covered = () => page.locator('.hero time').first().textContent();
    expect(await covered()).toBe('06:03');
    await page.goto(`${stand.url}${STORY}`);
    const shown = () => page.locator('.hero p').first().textContent();
    await page.getByRole('link', { name: 'my own zone' }).click();
    expect(await shown()).toBe('Mon 23 Nov, 01:00 – 01:45 America/Los_Angeles');
    await page.getByRole('link', { name: 'UTC' }).click();
    expect(await shown()).toBe('Mon 23 Nov, 09:00 – 09:45 UTC');
    expect(await page.locator('.timeline time').first().textContent()).toBe('14:03:34');
    await page.goto(`${stand.url}/console`);
    expect(await covered()).toBe('14:03');
    stand.stores.coverage = { ...stand.stores.coverage, coveredUntilMs: Date.parse('2025-03-01T08:05:09Z') };
    await page.reload();
    expect(await covered()).toBe('1 Mar 2025, 08:05');
    await page.getByRole('link', { name: 'the branch' }).click();
    expect(await covered()).toBe('1 Mar 2025, 00:05');
  });

  atLength.test('a link that was used does not sign in, and says so', async () => {
    const stand = await openConsole();
    const code = await stand.offer('ops');
    await stand.browser().post('/console/sign-in', { code });
    const page = await browser.open(`${stand.url}/console/sign-in#${code}`, { expected: [/403/] });
    await page.getByRole('alert').waitFor();
    expect(await page.getByRole('alert').textContent()).toContain('was used already');
  });

  it('on a phone the menu opens at a touch, with what waits beside it', async () => {
    const stand = await openConsole();
    await furnish(stand);
    stand.stores.letters = [...(await stand.store.deadLetters.all())];
    const page = await signIn(stand, 'ops', { isPhone: true });
    const letters = page.getByRole('link', { name: 'Dead letters 1' });
    expect(await letters.isVisible()).toBe(false);
    const menu = page.getByRole('button', { name: 'Menu 1' });
    expect(await menu.getAttribute('aria-expanded')).toBe('false');
    await menu.tap();
    expect(await menu.getAttribute('aria-expanded')).toBe('true');
    expect(await seriousFaults(page)).toEqual([]);
    await letters.tap();
    await page.getByRole('heading', { name: 'Dead letters' }).waitFor();
    expect(await letters.isVisible()).toBe(false);
    expect(await signIn(stand, 'ops').then((desk) => desk.locator('[data-menu]').isVisible())).toBe(false);
  });

  it('a slash and Ctrl-K lead to the search, and a slash in a field is a slash', async () => {
    const stand = await openConsole();
    const page = await signIn(stand, 'viewer');
    const box = page.getByRole('searchbox');
    await page.keyboard.press('/');
    expect(await focused(page)).toBe('Search');
    await page.keyboard.type('a/b');
    expect(await box.inputValue()).toBe('a/b');
    await box.blur();
    await page.keyboard.press('Control+k');
    expect(await focused(page)).toBe('Search');
  });

  it('results appear below the box while somebody types, and the keyboard leads into them and back', async () => {
    const stand = await openConsole();
    await observe(stand, 'appointment', { ...VERA, branch_id: 'b1', resource_id: 'r1' });
    const page = await signIn(stand, 'desk', { zone: 'Europe/London' });
    let asked = 0;
    page.on('request', (request) => {
      asked += request.url().endsWith('/search/typed') ? 1 : 0;
    });
    await page.keyboard.press('/');
    await page.keyboard.type('orlova');
    const found = page.locator('[data-found]');
    await found.getByText('1 found').waitFor();
    expect(await found.getByRole('link').innerText()).toMatch(
      /Vera Orlova Appointment, Haircut.*\n.*12:00 – 12:45 Europe\/Moscow \(09:00 Europe\/London\)\nAnna, Arbat/,
    );
    expect(await seriousFaults(page)).toEqual([]);
    // A text that was asked for is not asked for again.
    const before = asked;
    await page.keyboard.press('Backspace');
    await page.keyboard.type('a');
    await found.getByText('1 found').waitFor();
    await page.keyboard.press('Escape');
    expect(await found.isVisible()).toBe(false);
    expect(asked - before).toBeLessThanOrEqual(1);
    await page.keyboard.type('a');
    await page.keyboard.press('Backspace');
    await found.getByText('1 found').waitFor();
    await page.keyboard.press('ArrowDown');
    expect(await focused(page)).toContain('Vera Orlova');
    await page.keyboard.press('ArrowDown');
    expect(await focused(page)).toBe('Search');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    await page.waitForURL(`${stand.url}${STORY}`);
  });

  it("the tab's icon follows how things stand, and says nothing while the worker is away", async () => {
    const stand = await openConsole();
    const page = await signIn(stand, 'viewer', { expected: [/ERR_|Failed to load/] });
    const icon = () => page.evaluate<string>(`document.querySelector('link[rel=icon]').href`);
    const seen = new Set([await icon()]);
    stand.stores.pending = { objects: 77, oldestSinceMs: stand.clock.now() };
    await page.getByText('77', { exact: true }).waitFor();
    seen.add(await icon());
    await stand.close();
    await page.getByText('This page is not current').waitFor();
    seen.add(await icon());
    expect(seen.size).toBe(3);
  });

  it('charts have axes, show values under the pointer, and grow by themselves', async () => {
    const stand = await openConsole();
    await furnishCharts(stand);
    const page = await signIn(stand, 'viewer');
    await page.getByRole('link', { name: 'Charts' }).click();
    const written = page.locator('[data-plot=writes]');
    await written.locator('canvas').waitFor();
    expect(await page.locator('canvas').count()).toBe(3);
    const before = await page.locator('[data-region=figures] tbody').innerText();
    const over = written.locator('.u-over');
    const box = await over.boundingBox();
    if (box === null) throw new Error('no chart');
    await page.mouse.move(box.x + box.width - 2, box.y + 20);
    // The pointer on one chart shows the same moment on all of them.
    for (const name of ['writes', 'failures', 'lag'])
      await expect
        .poll(() => page.locator(`[data-plot=${name}] .u-legend`).innerText())
        .toMatch(/When\s*Nov 21, \d\d:\d\d\s*staff\s*[\d–]/);
    await stand.store.mirrorPace.add([
      { atMs: stand.clock.now(), mirror: 'staff', writes: 5_000, failures: 0, slowestS: 1 },
    ]);
    stand.stores.pending = { objects: 77, oldestSinceMs: stand.clock.now() };
    await page.locator('td.n', { hasText: /^5,\d\d\d$/ }).waitFor();
    expect(await page.locator('[data-region=figures] tbody').innerText()).not.toBe(before);
    await page.mouse.move(box.x + box.width - 3, box.y + 20);
    await expect.poll(() => written.locator('.u-legend').innerText()).toMatch(/5,0\d\d/);
    await page.setViewportSize({ width: 390, height: 800 });
    await expect.poll(() => page.evaluate('document.documentElement.scrollWidth > innerWidth')).toBe(false);
  });

  it('a dead letter appears by itself, is retried with a reason, and disappears', async () => {
    const stand = await openConsole();
    const page = await signIn(stand, 'ops');
    await page.getByRole('link', { name: 'Dead letters' }).click();
    await page.getByText('Nothing was given up').waitFor();
    const claim = await observe(stand, 'appointment', VERA);
    await giveUp(stand, claim, { mirror: 'staff', code: 'template-failed', message: 'the filter broke' });
    // The report of the stand does not read the letters by itself.
    stand.stores.letters = [...(await stand.store.deadLetters.all())];
    await page.getByText('the filter broke').waitFor();
    await page.getByRole('link', { name: 'Retry 1 letter' }).click();
    await page.getByLabel('Why?').fill('filter mended');
    await page.getByRole('button', { name: 'Retry 1 letter' }).click();
    await page.getByText('1 of 1 will be tried again.').waitFor();
    expect(stand.queued).toEqual([`appointment/${VERA.id}`]);
    await page.getByRole('link', { name: 'Audit log' }).click();
    await page.getByRole('cell', { name: 'filter mended' }).waitFor();
  });

  it('one of two dead letters is ticked, stays ticked while the page renews itself, and only it is retried', async () => {
    const stand = await openConsole();
    await furnish(stand);
    await furnishStorm(stand);
    const page = await signIn(stand, 'ops');
    await page.goto(`${stand.url}/console/letters`);
    await page.getByLabel(`Tick appointment/${MAILED}`).check();
    await page.getByRole('link', { name: 'Audit log' }).focus();
    const other = await observe(stand, 'appointment', { ...VERA, id: 'appointment-third' });
    await giveUp(stand, other, { mirror: 'staff', code: 'template-failed', message: 'm' });
    stand.stores.letters = [...(await stand.store.deadLetters.all())];
    await page.getByText('3 objects were given up').waitFor();
    await page.getByRole('button', { name: 'Retry the ticked ones' }).click();
    await page.getByLabel('Why?').fill('mended');
    await page.getByRole('button', { name: 'Retry 1 letter' }).click();
    await page.getByText('1 of 1 will be tried again.').waitFor();
    expect(stand.queued).toEqual([`appointment/${MAILED}`]);
    expect(await page.locator('tbody tr').count()).toBe(2);
  });

  atLength.test(
    'changes come by themselves as the filter shows them, wait while the page is paused, and are all there after it',
    async () => {
      const stand = await openConsole();
      const page = await signIn(stand, 'viewer');
      await page.getByRole('link', { name: 'Changes' }).click();
      await page.getByText('Nothing matches the filter yet').waitFor();
      await page.getByLabel('Outcome').selectOption('mirrored');
      await page.getByRole('button', { name: 'Filter' }).click();
      const mirrored = (rev: number) =>
        stand.store.history.note(`appointment/${VERA.id}`, {
          ...{ what: 'mirrored', atMs: stand.clock.now(), rev, actions: { staff: 'updated' } },
        });
      await observe(stand, 'appointment', VERA);
      mirrored(1);
      await page.getByText('mirrored, version 1').waitFor();
      expect(await page.getByText('received by webhook').count()).toBe(0);
      await page.getByRole('button', { name: 'Live' }).click();
      mirrored(2);
      await sleep(2_500);
      expect(await page.locator('tbody tr').count()).toBe(1);
      await page.getByRole('button', { name: 'Paused' }).click();
      await page.getByText('mirrored, version 2').waitFor();
      expect(await page.locator('tbody tr').allInnerTexts()).toEqual([
        expect.stringContaining('version 2'),
        expect.stringContaining('version 1'),
      ]);
      await page.getByRole('link', { name: 'Appointment' }).first().click();
      await page.waitForURL(`${stand.url}${STORY}`);
    },
  );

  atLength.test('a list of changes that fell behind says how many it left out, and keeps 200', async () => {
    const stand = await openConsole();
    const page = await signIn(stand, 'viewer');
    await page.goto(`${stand.url}/console/changes`);
    await page.getByRole('button', { name: 'Live' }).click();
    for (let rev = 1; rev <= 350; rev += 1)
      stand.store.history.note('contact/a', {
        what: 'mirrored',
        atMs: stand.clock.now(),
        rev,
        actions: { a: 'updated' },
      });
    await expect.poll(async () => (await stand.store.changes.newest(1))[0]?.at.nth).toBe(350);
    await page.getByRole('button', { name: 'Paused' }).click();
    await page.getByText('150 changes are not shown').waitFor();
    expect(await page.locator('tbody tr').count()).toBe(200);
    expect(await page.locator('tbody tr').first().innerText()).toContain('version 350');
  });

  atLength.test('a customer is found by phone, with the right story', async () => {
    const stand = await openConsole();
    await furnish(stand);
    const page = await signIn(stand, 'desk');
    await page.getByRole('searchbox').fill('8 495 000-11-01');
    await page.keyboard.press('Enter');
    await page.waitForURL(`${stand.url}${STORY}`);
    await page.getByText('Vera Orlova').waitFor();
    await page.getByText('received by webhook').waitFor();
  });

  it('a viewer sees no phone number anywhere', async () => {
    const stand = await openConsole();
    await furnish(stand);
    const page = await signIn(stand, 'viewer');
    for (const path of ['/console', '/console/letters', STORY]) {
      await page.goto(`${stand.url}${path}`);
      const text = await page.locator('body').innerText();
      expect(text).not.toMatch(/495 ?000|Vera|anna@|home\.example/);
    }
  });

  atLength.test('can be used with the keyboard alone', async () => {
    const stand = await openConsole();
    await furnish(stand);
    const page = await signIn(stand, 'ops');
    await page.keyboard.press('Tab');
    expect(await focused(page)).toBe('Skip to the content');
    const reached: string[] = [];
    for (let tabs = 0; tabs < 25; tabs += 1) {
      await page.keyboard.press('Tab');
      reached.push(await focused(page));
    }
    for (const name of ['Home', 'Dead letters', 'Audit log', 'Search', 'Live', 'Sign out'])
      expect(reached).toContain(name);
  });

  it('a dead letter is found, retried with a reason and seen gone with the keyboard alone', async () => {
    const stand = await openConsole();
    await furnish(stand);
    const page = await signIn(stand, 'ops');
    const go = async (name: string) => {
      for (let tabs = 0; tabs < 60; tabs += 1) {
        await page.keyboard.press('Tab');
        if ((await focused(page)) === name) return page.keyboard.press('Enter');
      }
      throw new Error(`the keyboard does not reach ${name}`);
    };
    await go('Dead letters');
    await page.getByRole('heading', { name: 'Dead letters' }).waitFor();
    await go('Retry 1 letter');
    await page.getByLabel('Why?').waitFor();
    for (let tabs = 0; tabs < 60; tabs += 1) {
      if ((await page.evaluate('document.activeElement.name')) === 'why') break;
      await page.keyboard.press('Tab');
    }
    await page.keyboard.type('mended');
    await page.keyboard.press('Enter');
    await page.getByText('1 of 1 will be tried again.').waitFor();
    expect(stand.queued).toEqual([`appointment/${VERA.id}`]);
    expect(await stand.store.deadLetters.all()).toEqual([]);
  });

  atLength.test('a link that nobody made does not sign in, and a forged form does nothing', async () => {
    const stand = await openConsole();
    await furnish(stand);
    const stranger = await browser.open(`${stand.url}/console/sign-in#${'x'.repeat(43)}`, {
      expected: [/40[13]/],
    });
    await stranger.getByRole('alert').waitFor();
    await stranger.goto(`${stand.url}/console`);
    await stranger.getByText('Your session has ended').waitFor();
    const page = await signIn(stand, 'ops', { expected: [/403|409/] });
    await page.goto(`${stand.url}/console/letters/retry`);
    await page.getByLabel('Why?').fill('forged');
    await page.evaluate(`document.querySelector('main input[name=form]').value = 'x'.repeat(43)`);
    await page.getByRole('button', { name: 'Retry 1 letter' }).click();
    await page.getByText('This form is out of date').waitFor();
    expect(stand.queued).toEqual([]);
    expect((await stand.store.acts.newest(10)).map(({ what }) => what)).not.toContain('letters-retried');
  });

  atLength.test(
    'a search for a star or for ten thousand characters, and a filter that matches nothing, say so',
    async () => {
      const stand = await openConsole();
      await furnish(stand);
      const page = await signIn(stand, 'desk', { expected: [/400/] });
      await page.getByRole('searchbox').fill('*');
      await page.keyboard.press('Enter');
      await page.getByText('That is too little to search for').waitFor();
      await page.evaluate(`document.querySelector('input[name=q]').removeAttribute('maxlength')`);
      await page.getByRole('searchbox').fill('x'.repeat(10_000));
      await page.keyboard.press('Enter');
      await page.getByText('That is too long to search for').waitFor();
      await page.goto(`${stand.url}/console/letters?code=never-heard-of`);
      await page.getByText('No dead letter matches').waitFor();
      await page.goto(`${stand.url}/console/changes?kind=nonsense`);
      await page.getByText('Nothing matches the filter yet').waitFor();
    },
  );

  atLength.test(
    'keeps the keyboard where it is when a page renews itself, and a paused page stays as it is',
    async () => {
      const stand = await openConsole();
      await furnish(stand);
      const page = await signIn(stand, 'ops');
      stand.stores.letters = [...(await stand.store.deadLetters.all())];
      const link = page.getByRole('link', { name: 'Show them' });
      await link.focus();
      stand.stores.quarantined = 1;
      stand.stores.pending = { objects: 77, oldestSinceMs: stand.clock.now() };
      await page.getByText('77', { exact: true }).waitFor();
      expect(await focused(page)).toBe('Show them');
      await page.getByRole('button', { name: 'Live' }).click();
      stand.stores.pending = { objects: 78, oldestSinceMs: stand.clock.now() };
      await sleep(3_500);
      expect(await page.getByText('77', { exact: true }).count()).toBe(1);
      await page.getByRole('button', { name: 'Paused' }).click();
      await page.getByText('78', { exact: true }).waitFor();
    },
  );

  // Among the long tests each page is looked at once: on a desk, or on a phone.
  const [some, others] = [rowsOf(PAGES, 4), rowsOf([...PAGES.slice(2), ...PAGES.slice(0, 2)], 4)];
  const looks = [
    ['on a desk, light', {}, some],
    ['on a phone, in Russian', { isPhone: true, language: 'ru-RU' }, others],
    ['on a desk, dark', { colours: 'dark' }, some],
  ] as const;
  it.each(rowsOf(looks, 4))(
    'axe finds nothing serious on any page, and nothing is wider than the screen: %s',
    async (_, options, pages) => {
      const stand = await openConsole();
      await furnish(stand);
      await furnishStorm(stand);
      const page = await signIn(stand, 'ops', { ...options, expected: [/404/] });
      stand.stores.letters = [...(await stand.store.deadLetters.all())];
      for (const path of [...pages, '/console/sign-in']) {
        await page.goto(`${stand.url}${path}`);
        expect([path, await seriousFaults(page)]).toEqual([path, []]);
        const isTooWide = await page.evaluate('document.documentElement.scrollWidth > innerWidth');
        expect([path, isTooWide]).toEqual([path, false]);
      }
    },
  );

  atLength.test(
    'what was stopped is approved after a look at whose it is, and stands in the audit log',
    async () => {
      const stand = await openConsole();
      await furnishStorm(stand);
      const page = await signIn(stand, 'ops');
      await page.getByRole('link', { name: 'Approvals' }).click();
      await page.getByRole('link', { name: 'Look and approve' }).click();
      await page.getByText('Vera Orlova').waitFor();
      await page.getByLabel('Why?').fill('Anna moved her day');
      await page.getByRole('button', { name: 'Approve' }).click();
      await page.getByText('Nothing is waiting for approval').waitFor();
      expect(stand.queued).toEqual([`appointment/${MAILED}`]);
      await page.getByRole('link', { name: 'Audit log' }).click();
      await page.getByRole('cell', { name: 'Anna moved her day' }).waitFor();
    },
  );

  atLength.test(
    'ten thousand dead letters stay usable: shown by cause, filtered, and retried as the filter shows them',
    async () => {
      const stand = await openConsole();
      const rows = Array.from({ length: 10_000 }, (_, at) => {
        const key = `appointment/many-${at}`;
        const reasons = [
          { mirror: 'staff', code: `cause-${at % 40}`, message: 'm', target: `calendar:${at % 300}` },
        ];
        return [key, JSON.stringify({ key, atMs: stand.clock.now(), attempts: 1, reasons })] as const;
      });
      await stand.store.redis.hset(stand.store.keys.dead, Object.fromEntries(rows));
      // A busy machine may take longer over so many than a poll of the live page is given. The page gets over that.
      const page = await signIn(stand, 'ops', { expected: [/503/] });
      await page.getByRole('link', { name: 'Dead letters' }).click();
      await page.getByText('10,000 objects were given up').waitFor();
      expect(await page.locator('tbody tr').count()).toBe(100);
      await page.getByLabel('Cause').selectOption('cause-7');
      await page.getByRole('button', { name: 'Filter' }).click();
      await page.getByText('250 of 10,000 objects').waitFor();
      await page.getByRole('link', { name: 'Retry 250 letters' }).click();
      await page.getByLabel('Why?').fill('mended');
      await page.getByRole('button', { name: 'Retry 250 letters' }).click();
      await page.getByText('250 of 250 will be tried again.').waitFor();
      expect(stand.queued).toHaveLength(250);
      await page.goto(`${stand.url}/console/letters`);
      await page.getByText('9,750 objects were given up').waitFor();
    },
  );

  atLength.test(
    'two people retry the same letter: it has one turn, and the second one reads why',
    async () => {
      const stand = await openConsole();
      await furnish(stand);
      const pages = [await signIn(stand, 'ops'), await signIn(stand, 'ops')];
      for (const page of pages) {
        await page.goto(`${stand.url}/console/letters/retry`);
        await page.getByLabel('Why?').fill('mended');
      }
      const told: (string | null)[] = [];
      for (const page of pages) {
        await page.getByRole('button', { name: 'Retry 1 letter' }).click();
        told.push(await page.getByRole('status').filter({ hasText: 'tried again' }).textContent());
      }
      expect(told).toEqual([
        '1 of 1 will be tried again.',
        '0 of 1 will be tried again. The others were dealt with meanwhile.',
      ]);
      expect(stand.queued).toEqual([`appointment/${VERA.id}`]);
    },
  );

  atLength.test(
    'a session that is ended while a page is open leads to the sign-in, and so does a form',
    async () => {
      const stand = await openConsole();
      await furnish(stand);
      const expected = [/401/];
      const [open, asking] = [
        await signIn(stand, 'ops', { expected }),
        await signIn(stand, 'ops', { expected }),
      ];
      await asking.goto(`${stand.url}/console/letters/retry`);
      await asking.getByLabel('Why?').fill('mended');
      await stand.store.consoleAccess.revoke('anna');
      await asking.getByRole('button', { name: 'Retry 1 letter' }).click();
      await asking.getByText('Your session has ended').waitFor();
      await open.getByText('Your session has ended').waitFor();
      expect(stand.queued).toEqual([]);
      expect(await stand.store.deadLetters.all()).toHaveLength(1);
    },
  );

  atLength.test(
    'a browser whose clock is years ahead shows the same times and ages, and stays signed in',
    async () => {
      const stand = await openConsole();
      await furnish(stand);
      const texts: string[] = [];
      for (const clockAheadMs of [0, 5 * 365 * 86_400_000]) {
        const page = await signIn(stand, 'desk', { clockAheadMs });
        expect(
          await page.evaluate('Date.now() - performance.timeOrigin - performance.now()'),
        ).toBeGreaterThan(clockAheadMs - 60_000);
        const seen: string[] = [];
        for (const path of ['/console', '/console/letters', STORY]) {
          await page.goto(`${stand.url}${path}`);
          seen.push(await page.locator('main').innerText());
        }
        texts.push(seen.join('\n').replaceAll(/\d+(?:\.\d+)? s ago/g, 'just now'));
      }
      expect(texts[1]).toBe(texts[0]);
      expect(texts[0]).toMatch(/\d\d:\d\d:\d\d/);
    },
  );

  atLength.test(
    'the story of an object that is erased while somebody reads it says so, and keeps nothing of it',
    async () => {
      const stand = await openConsole();
      await furnish(stand);
      const page = await signIn(stand, 'desk', { expected: [/404/] });
      await page.goto(`${stand.url}${STORY}`);
      await page.getByText('Vera Orlova').waitFor();
      const { redis, keys } = stand.store;
      await redis.del(keys.object(`appointment/${VERA.id}`), keys.history(`appointment/${VERA.id}`));
      await page.getByText('Nothing is known about it').waitFor();
      expect(await page.locator('body').innerText()).not.toMatch(/Vera|495 ?000/);
      await page.reload();
      await page.getByText('Nothing is known about it').waitFor();
    },
  );

  atLength.test(
    'recovers by itself when the worker is started again, and is as current as before',
    async () => {
      const stand = await openConsole();
      const page = await signIn(stand, 'viewer', { expected: [/ERR_|Failed to load/] });
      await page.getByText('Everything is mirrored').waitFor();
      await sleep(2_500);
      await stand.close();
      await page.getByText('This page is not current').waitFor();
      stand.stores.pending = { objects: 77, oldestSinceMs: stand.clock.now() };
      await stand.reopen();
      await page.getByText('77', { exact: true }).waitFor();
      await page.getByText('This page is not current').waitFor({ state: 'hidden' });
      stand.stores.pending = { objects: 78, oldestSinceMs: stand.clock.now() };
      await page.getByText('78', { exact: true }).waitFor();
    },
  );

  atLength.test('pictures for README: Home on a working day, and a story', async () => {
    const stand = await openConsole();
    const claim = await observe(stand, 'appointment', VERA);
    const name = `appointment/${VERA.id}`;
    const found = linkTo({ calendarId: ANNA, eventId: 'sb1' });
    const event = { ...found.event, is: 'written', hash: 'h' } as const;
    await stand.store.links.write(claim, 'staff', { calendars: [{ ...found, event }] });
    stand.stores.lag = { p50: 1.4, p99: 3.2, samples: 656 };
    stand.store.history.note(name, {
      ...{ what: 'mirrored', atMs: stand.clock.now() + 1_400, rev: 1 },
      actions: { staff: 'created', appointments: 'queued' },
    });
    await stand.store.work.settle(claim);
    // A day of bookings: most of them in the hours of the office.
    const endMs = stand.clock.now();
    stand.clock.advance(-24 * 3_600_000);
    for (let minute = 0; minute < 24 * 60; minute += 1) {
      stand.clock.advance(60_000);
      const hour = new Date(stand.clock.now()).getUTCHours();
      const busy = Math.max(0, Math.sin(((hour - 5) / 14) * Math.PI));
      const writes = Math.round(busy * 9 + ((minute * 7) % 5) * busy);
      for (let nth = 0; nth < writes; nth += 1)
        stand.pace.add(1 + (((minute * 31 + nth * 17) % 23) / 23) * (0.6 + busy * 1.6));
    }
    expect(stand.clock.now()).toBe(endMs);
    const page = await signIn(stand, 'ops');
    await page.getByText('Everything is mirrored').waitFor();
    await takePicture(page, 'console-home');
    await page.setViewportSize({ width: 1280, height: 1_000 });
    await page.goto(`${stand.url}${STORY}`);
    await page.getByText('mirrored, version 1').waitFor();
    await takePicture(page, 'console-story');
  });

  atLength.test('says that it is not current while the worker is away', async () => {
    const stand = await openConsole();
    const page = await signIn(stand, 'viewer', { expected: [/ERR_|Failed to load/] });
    await page.getByText('Everything is mirrored').waitFor();
    await sleep(2_500);
    await stand.close();
    await page.getByText('This page is not current').waitFor();
  });

  it('is greyed out with its age while the worker is dead, and is live again when it answers', async () => {
    const stand = await openConsole();
    const page = await signIn(stand, 'viewer', { expected: [/ERR_|Failed to load/] });
    await page.getByText('Everything is mirrored').waitFor();
    const isGrey = () =>
      page.evaluate<boolean>(`getComputedStyle(document.querySelector('main')).filter !== 'none'`);
    expect(await isGrey()).toBe(false);
    await stand.close();
    await page.getByText(/Last known state, \d+ s old/).waitFor();
    expect(await isGrey()).toBe(true);
    await page.getByText(/Last known state, ([4-9]|\d\d) s old/).waitFor();
    await stand.reopen();
    await page.getByText('Last known state').waitFor({ state: 'hidden' });
    expect(await isGrey()).toBe(false);
  });

  atLength.test('is greyed out when the worker hangs and closes nothing', async () => {
    const stand = await openConsole();
    const between = await startFreezer(stand.url);
    const page = await browser.open(`${between.url}/console/sign-in#${await stand.offer('viewer')}`);
    await page.getByText('Everything is mirrored').waitFor();
    between.freeze();
    await page.getByText(/Last known state, \d+ s old/).waitFor();
    stand.stores.pending = { objects: 77, oldestSinceMs: stand.clock.now() };
    between.thaw();
    await page.getByText('77', { exact: true }).waitFor();
    await page.getByText('Last known state').waitFor({ state: 'hidden' });
    await page.close();
    await between.close();
  });

  it('seven visible windows share one stream, so none hangs, and another one takes it over', async () => {
    const stand = await openConsole();
    await observe(stand, 'appointment', VERA);
    const first = await signIn(stand, 'viewer', { expected: [/ERR_|Failed to load/] });
    const asked = new Set<Request>();
    const isStream = (request: Request) => request.url().includes('/console/live?');
    first.context().on('request', (request) => isStream(request) && asked.add(request));
    first.context().on('requestfailed', (request) => asked.delete(request));
    first.context().on('requestfinished', (request) => asked.delete(request));
    const streams = () => [...asked].filter((request) => !request.frame().page().isClosed()).length;
    await first.reload();
    const open = async (path: string): Promise<Page> => {
      const page = await first.context().newPage();
      // Over HTTP/1.1 the seventh window would wait for ever for one of the six connections.
      await page.goto(`${stand.url}${path}`);
      return page;
    };
    const [story, changes] = [await open(STORY), await open('/console/changes')];
    const homes = [
      await open('/console'),
      await open('/console'),
      await open('/console'),
      await open('/console'),
    ];
    await expect.poll(streams).toBe(1);
    stand.stores.pending = { objects: 77, oldestSinceMs: stand.clock.now() };
    for (const page of [first, ...homes]) await page.getByText('77', { exact: true }).waitFor();
    stand.store.history.note(`appointment/${VERA.id}`, {
      ...{ what: 'mirrored', atMs: stand.clock.now(), rev: 1, actions: { staff: 'created' } },
    });
    await story.getByText('mirrored, version 1').waitFor();
    await changes.locator('tr.changed').first().waitFor();
    await first.close();
    stand.stores.pending = { objects: 78, oldestSinceMs: stand.clock.now() };
    for (const page of homes) await page.getByText('78', { exact: true }).waitFor();
    await expect.poll(streams).toBe(1);
    // What was told before the change of streams is not told again.
    expect(await changes.locator('tr.changed').count()).toBe(1);
    await stand.close();
    for (const page of homes) await page.getByText('This page is not current').waitFor();
    await stand.reopen();
    for (const page of homes) await page.getByText('This page is not current').waitFor({ state: 'hidden' });
  });

  atLength.test('reconnects once when a page is paused and resumed while the stream is refused', async () => {
    const stand = await openConsole();
    const page = await signIn(stand, 'viewer', { expected: [/503|Failed to load/] });
    let connections = 0;
    await page.route('**/console/live?*', async (route) => {
      connections += 1;
      if (connections > 1) return await route.continue();
      return await route.fulfill({ status: 503 });
    });
    await page.reload();
    await page.getByText('This page is not current').waitFor();
    await page.getByRole('button', { name: 'Live' }).click();
    await page.getByRole('button', { name: 'Paused' }).click();
    // The refused stream would be tried again after five seconds.
    await sleep(7_000);
    expect(connections).toBe(2);
  });
});

/** Between browser and worker: while it is frozen, connections stay open and nothing passes. */
async function startFreezer(url: string) {
  const { port } = new URL(url);
  const sockets = new Set<Socket>();
  let isFrozen = false;
  const server = createServer((near) => {
    const far = connect(Number(port), '127.0.0.1');
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => socket.destroy()).on('close', () => sockets.delete(socket));
    }
    near.on('data', (data) => far.write(data)).on('close', () => far.destroy());
    far.on('data', (data) => near.write(data)).on('close', () => near.destroy());
    if (isFrozen) for (const socket of [near, far]) socket.pause();
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    freeze() {
      isFrozen = true;
      for (const socket of sockets) socket.pause();
    },
    thaw() {
      isFrozen = false;
      for (const socket of sockets) socket.resume();
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((done) => server.close(done));
    },
  };
}

/** What the keyboard is at, as somebody would call it. */
function focused(page: Page): Promise<string> {
  return page.evaluate(
    `(() => { const at = document.activeElement; return (at.getAttribute('aria-label') || at.textContent || '').trim(); })()`,
  );
}
