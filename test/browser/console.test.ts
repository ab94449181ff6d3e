// The console in a real browser, over a real Redis: what people see and do there.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import type { Role } from '../../src/domain/role.ts';
import { giveUp, observe, VERA } from '../console/objects.ts';
import { type ConsoleStand, useConsole } from '../console/stand.ts';
import { seriousFaults } from './accessibility.ts';
import { describeInBrowser, type PageOptions, useBrowser } from './browser.ts';

const STORY = `/console/object/appointment/${VERA.id}`;
const MAILED = '7b1c1b52-9d0f-4a34-8f6e-0d9e5c1f7a12';
const PAGES = [
  '/console',
  '/console/letters',
  STORY,
  '/console/letters/retry',
  '/console/approvals',
  '/console/approvals/allow?name=approved-mails',
  '/console/acts',
  '/console/search',
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

  it('a link that was used does not sign in, and says so', async () => {
    const stand = await openConsole();
    const code = await stand.offer('ops');
    await stand.browser().post('/console/sign-in', { code });
    const page = await browser.open(`${stand.url}/console/sign-in#${code}`, { expected: [/403/] });
    await page.getByRole('alert').waitFor();
    expect(await page.getByRole('alert').textContent()).toContain('was used already');
  });

  it('a dead letter appears by itself, is retried with a reason, and disappears', async () => {
    const stand = await openConsole();
    const page = await signIn(stand, 'ops');
    await page.getByRole('link', { name: 'Dead letters' }).click();
    await page.getByText('No dead letter matches').waitFor();
    const claim = await observe(stand, 'appointment', VERA);
    await giveUp(stand, claim, { mirror: 'staff', code: 'template-failed', message: 'the filter broke' });
    // The report of the stand does not read the letters by itself.
    stand.stores.letters = [...(await stand.store.deadLetters.all())];
    await page.getByText('the filter broke').waitFor();
    await page.getByRole('link', { name: 'Retry 1 letter' }).click();
    await page.getByLabel('Why?').fill('filter mended');
    await page.getByRole('button', { name: 'Retry 1 letter' }).click();
    await page.getByText('1 of 1 have a turn again.').waitFor();
    expect(stand.queued).toEqual([`appointment/${VERA.id}`]);
    await page.getByRole('link', { name: 'Audit log' }).click();
    await page.getByRole('cell', { name: 'filter mended' }).waitFor();
  });

  it('a customer is found by phone, with the right story', async () => {
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
      expect(text).not.toMatch(/495|Vera|anna@|home\.example/);
    }
  });

  it('can be used with the keyboard alone', async () => {
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

  it('keeps the keyboard where it is when a page renews itself, and a paused page stays as it is', async () => {
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
  });

  it.each([
    ['on a desk, light', {}],
    ['on a desk, dark', { colours: 'dark' }],
    ['on a phone, in Russian', { isPhone: true, language: 'ru-RU' }],
  ] as const)(
    'axe finds nothing serious on any page, and nothing is wider than the screen: %s',
    async (_, options) => {
      const stand = await openConsole();
      await furnish(stand);
      await furnishStorm(stand);
      const page = await signIn(stand, 'ops', options);
      stand.stores.letters = [...(await stand.store.deadLetters.all())];
      for (const path of [...PAGES, '/console/sign-in']) {
        await page.goto(`${stand.url}${path}`);
        expect([path, await seriousFaults(page)]).toEqual([path, []]);
        const isTooWide = await page.evaluate('document.documentElement.scrollWidth > innerWidth');
        expect([path, isTooWide]).toEqual([path, false]);
      }
    },
  );

  it('what was stopped is approved after a look at whose it is, and stands in the audit log', async () => {
    const stand = await openConsole();
    await furnishStorm(stand);
    const page = await signIn(stand, 'ops');
    await page.getByRole('link', { name: 'Approvals' }).click();
    await page.getByRole('link', { name: 'Look and approve' }).click();
    await page.getByText('Vera Orlova').waitFor();
    await page.getByLabel('Why?').fill('Anna moved her day');
    await page.getByRole('button', { name: 'Approve for one hour' }).click();
    await page.getByText('Nothing waits for a person').waitFor();
    expect(stand.queued).toEqual([`appointment/${MAILED}`]);
    await page.getByRole('link', { name: 'Audit log' }).click();
    await page.getByRole('cell', { name: 'Anna moved her day' }).waitFor();
  });

  it('says that it is not current while the worker is away', async () => {
    const stand = await openConsole();
    const page = await signIn(stand, 'viewer', { expected: [/ERR_|Failed to load/] });
    await page.getByText('Everything is mirrored').waitFor();
    await sleep(2_500);
    await stand.close();
    await page.getByText('This page is not current').waitFor();
  });
});

/** What the keyboard is at, as somebody would call it. */
function focused(page: Page): Promise<string> {
  return page.evaluate(
    `(() => { const at = document.activeElement; return (at.getAttribute('aria-label') || at.textContent || '').trim(); })()`,
  );
}
