import { defaultAccount, GoogleSandbox } from '@slotbridge/sandbox/google/sandbox';
import { type SandboxPage, startSandboxPage } from '@slotbridge/sandbox/page/page';
import { PlatformSandbox } from '@slotbridge/sandbox/platform/sandbox';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { PATIENCE_MS } from '../stand/patience.ts';
import { atLength, rowsOf } from '../stand/runs.ts';
import { ANNA, BOOK, BORIS, ROOM, startWorld, type World } from '../stand/world.ts';
import { seriousFaults } from './accessibility.ts';
import { describeInBrowser, useBrowser } from './browser.ts';
import { takePicture } from './pictures.ts';

const ZONE = 'Europe/Moscow';
const CALENDARS = { 'Anna Petrova': ANNA, 'Boris Ivanov': BORIS, 'Room 1': ROOM };
const MIRRORS = `
mirrors:
  staff-calendars:
    from: appointments
    calendars: { map: { Anna Petrova: ${ANNA}, Boris Ivanov: ${BORIS}, Room 1: ${ROOM} } }
    event: { title: "{{ service_name }}, {{ customer_name }}", description: "{{ customer_phone }}" }
    staff_edits: { moved: reschedule }
  contacts:
    from: contacts
    sheet: { spreadsheet: ${BOOK}, tab: Contacts }
    columns: { ID: "{{ id }}", Name: "{{ name }}", Phone: "{{ phone }}" }
  appointments:
    from: appointments
    sheet: { spreadsheet: ${BOOK}, tab: Appointments, key: ID }
    columns:
      Date: "{{ starts_at | date: '%Y-%m-%d' }}"
      From: "{{ starts_at | date: '%H:%M' }}"
      Status: "{{ status }}"
      Service: "{{ service_name }}"
      Customer: "{{ customer_name }}"
      Phone: "{{ customer_phone }}"
      ID: "{{ id }}"
`;

/** Monday of the next week, so that what is booked there is never in the past. */
function comingDay(days: number, time: string): string {
  const day = new Date(Date.now() + 3 * 3_600_000);
  day.setUTCDate(day.getUTCDate() + ((8 - (day.getUTCDay() || 7)) % 7 || 7) + days);
  return `${day.toISOString().slice(0, 10)}T${time}`;
}

/** A flash is over soon: the page itself notes it, however late the test looks. Ask before what causes it. */
function untilFlashed(page: Page, selector: string): Promise<unknown> {
  return page.evaluate(`new Promise((done) => {
    const look = () => document.querySelector(${JSON.stringify(selector)}) !== null && done();
    new MutationObserver(look).observe(document, { subtree: true, childList: true, attributes: true });
  })`);
}

/** Where it is on the screen. A live update may replace the element while the browser measures it: then it is measured again. */
function boxOf(element: Locator) {
  return vi.waitFor(
    async () => {
      const box = await element.boundingBox();
      if (box === null) throw new Error('the element is not on the screen');
      return box;
    },
    { timeout: PATIENCE_MS },
  );
}

const event = (page: Page, name: RegExp) => page.locator('.week').getByRole('button', { name });
const cell = (page: Page, text: string) => page.getByRole('gridcell', { name: text, exact: true });
const live = (page: Page) => page.getByText('live', { exact: true }).waitFor();

describeInBrowser('the page of the sandbox, with a worker', () => {
  const browser = useBrowser();
  let world: World;
  let shown: SandboxPage;

  beforeAll(async () => {
    world = await startWorld({ mirrors: MIRRORS, watch: '{ every: 5s, settle: 100ms }' });
    for (const [summary, id] of Object.entries(CALENDARS))
      world.google.addCalendar(id, { shareWith: [defaultAccount], timeZone: ZONE, summary });
    const tabs = [{ title: 'Appointments' }, { title: 'Contacts' }];
    world.google.addSpreadsheet(BOOK, { shareWith: [defaultAccount], timeZone: ZONE, tabs });
    const port = await world.door();
    await world.subscribe(port);
    const worker = await world.startWorker(port);
    await world.untilIdle(worker.url);
    shown = await startSandboxPage({ platform: world.platform, google: world.google, port: 0 });
  }, 120_000);

  afterAll(async () => {
    await shown?.close();
    await world?.close();
  });

  it('shows a booking arriving in the calendar and in the sheet', async () => {
    const page = await browser.open(shown.url);
    await page.getByLabel('Service').selectOption('Massage');
    await page.getByLabel('With').selectOption('Anna Petrova');
    await page.getByLabel('When').fill(comingDay(1, '10:00'));
    await page.getByLabel('Customer').fill('Pavel Sokolov');
    await page.getByLabel('Phone').fill('+74950001102');
    const flashed = untilFlashed(page, '.event.arrived');
    await page.getByRole('button', { name: 'Book', exact: true }).click();
    await page.getByText(/^Booked for/).waitFor();
    await flashed;
    await event(page, /^Massage, Pavel Sokolov, 10:00–11:00, Anna Petrova/).waitFor();
    await event(page, /^Massage, Pavel Sokolov, 10:00–11:00, Room 1/).waitFor();
    await cell(page, 'Pavel Sokolov').waitFor();
    await expect.poll(() => page.locator('#appointments li').count()).toBe(1);
  });

  it('names the zone and leads to the console, and each trouble has its button', async () => {
    const page = await browser.open(shown.url);
    await page.getByText(`All times: ${ZONE}`).waitFor();
    const link = page.getByRole('link', { name: 'Console' });
    expect(await link.getAttribute('href')).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/console$/);
    await page.getByText('More trouble').click();
    await page.getByLabel('Minutes').fill('3');
    const away = page.getByRole('button', { name: 'Google is away' });
    await away.click();
    await page.getByText('Google answers 503 for 3 min.').waitFor();
    await page.getByRole('button', { name: 'Google is away 3 min' }).waitFor();
    await page.getByRole('button', { name: 'Unshare with the worker' }).click();
    await page.getByRole('button', { name: 'Share with the worker again' }).waitFor();
    expect(await seriousFaults(page)).toEqual([]);
    await page.getByRole('button', { name: 'End all troubles' }).click();
    await page.getByRole('button', { name: 'Unshare with the worker' }).waitFor();
    await expect.poll(() => away.textContent()).toBe('Google is away ');
    expect(world.google.faults.pick({ method: 'GET', url: '/calendar/v3/x' })).toBe(undefined);
  });

  it('is Russian in a Russian browser, and in English when somebody wants it', async () => {
    const page = await browser.open(shown.url, { language: 'ru-RU' });
    await page.getByText('Другие неполадки').click();
    await page.getByRole('button', { name: 'Google недоступен' }).waitFor();
    await page.getByText(`Время: ${ZONE}`).waitFor();
    const desk = await page.evaluate<string>(`(() => {
      const desk = document.querySelector('.desk').cloneNode(true);
      for (const each of desk.querySelectorAll('select, .what, time')) each.remove();
      return desk.textContent;
    })()`);
    const latin = desk.replaceAll(/Google|Europe\/\w+/g, '').match(/[A-Za-z]{3,}/g);
    expect(latin).toBeNull();
    expect(await seriousFaults(page)).toEqual([]);
    await page.getByRole('button', { name: 'English' }).click();
    await page.getByText('More trouble').waitFor();
  });

  atLength.test('shows a change whose webhook is lost arriving by the feed', async () => {
    const page = await browser.open(shown.url);
    const lost = world.platform.stats().webhooksLost;
    await page.getByRole('button', { name: 'Lose the next webhook' }).click();
    await page.getByRole('button', { name: 'Lose the next webhook 1' }).waitFor();
    await page.getByLabel('Service').selectOption('Haircut');
    await page.getByLabel('With').selectOption('Anna Petrova');
    await page.getByLabel('When').fill(comingDay(2, '12:00'));
    await page.getByLabel('Customer').fill('Emma Walker');
    await page.getByRole('button', { name: 'Book', exact: true }).click();
    await event(page, /^Haircut, Emma Walker, 12:00–12:45/).waitFor();
    expect(world.platform.stats().webhooksLost).toBe(lost + 1);
  });

  atLength.test('lets staff drag an event to another time and day, and the appointment follows', async () => {
    const page = await browser.open(shown.url);
    await page.getByLabel('When').fill(comingDay(0, '15:00'));
    await page.getByLabel('With').selectOption('Boris Ivanov');
    await page.getByLabel('Customer').fill('Olga Dragged');
    await page.getByRole('button', { name: 'Book', exact: true }).click();
    const dragged = event(page, /^Haircut, Olga Dragged, 15:00–15:45, Boris Ivanov/);
    await dragged.waitFor();
    await expect.poll(() => page.locator('.arrived').count()).toBe(0);
    await dragged.scrollIntoViewIfNeeded();
    const from = await boxOf(dragged);
    const days = page.locator('#week .day .lines');
    const [own, next] = [await boxOf(days.nth(0)), await boxOf(days.nth(1))];
    const hours = Number(await days.first().evaluate((lines) => lines.style.getPropertyValue('--count')));
    const [x, y] = [from.x + from.width / 2, from.y + from.height / 2];
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x + 10, y + 10);
    await page.mouse.move(x + (next.x - own.x), y - (own.height / hours) * 1.25, { steps: 5 });
    expect(await page.locator('.event.dragged').getAttribute('data-to')).toBe('13:45');
    await page.mouse.up();
    await event(page, /^Haircut, Olga Dragged, 13:45–14:30, Boris Ivanov/).waitFor();
    const isMoved = () =>
      world.platform.truth
        .appointments()
        .some(
          (one) =>
            one['customer_name'] === 'Olga Dragged' &&
            String(one['starts_at']).startsWith(comingDay(1, '10:45')),
        );
    await expect.poll(isMoved).toBe(true);
    // No dialog was opened by the end of the drag.
    expect(await page.locator('dialog[open]').count()).toBe(0);
    const moved = event(page, /^Haircut, Olga Dragged, 13:45–14:30, Boris Ivanov/);
    await moved.focus();
    await page.keyboard.press('Alt+ArrowDown');
    await event(page, /^Haircut, Olga Dragged, 14:00–14:45, Boris Ivanov/).waitFor();
    await page.keyboard.press('Alt+ArrowRight');
    await expect
      .poll(() =>
        world.google.truth
          .events(BORIS)
          .map((each) => JSON.stringify(each['start']))
          .join(),
      )
      .toContain(comingDay(2, '14:00'));
    // The tests after this one count the events of the week.
    const olga = world.platform.truth.appointments().find((one) => one['customer_name'] === 'Olga Dragged');
    world.platform.dashboard.cancel(String(olga?.['id']));
    await event(page, /Olga Dragged/).waitFor({ state: 'detached' });
  });

  atLength.test('lets staff move an event, and shows the appointment following', async () => {
    const page = await browser.open(shown.url);
    await page.getByLabel('When').fill(comingDay(3, '09:00'));
    await page.getByLabel('With').selectOption('Anna Petrova');
    await page.getByLabel('Customer').fill('Vera Orlova');
    await page.getByRole('button', { name: 'Book', exact: true }).click();
    await event(page, /^Haircut, Vera Orlova, 09:00–09:45/).click();
    await page.getByLabel('Start', { exact: true }).fill(comingDay(3, '14:00'));
    await page.getByLabel('End', { exact: true }).fill(comingDay(3, '14:45'));
    await page.getByRole('button', { name: 'Save' }).click();
    await page.locator('#appointments li', { hasText: 'Vera Orlova' }).getByText('14:00').waitFor();
  });

  atLength.test('keeps an event under the pointer while other events come and go', async () => {
    const page = await browser.open(shown.url);
    const book = (customerName: string, time: string) =>
      world.platform.dashboard.bookAs('lk', {
        serviceId: world.company.haircut,
        resourceId: world.company.boris,
        startsAt: `${comingDay(4, time)}:00+03:00`,
        customerName,
        customerPhone: '+74950001103',
      });
    await live(page);
    await page.getByRole('button', { name: 'Week after' }).click();
    const stays = book('Vera Stays', '16:00');
    await event(page, /Vera Stays/).waitFor();
    await expect.poll(() => page.locator('.arrived').count()).toBe(0);
    const kept = await event(page, /Vera Stays/).elementHandle();
    const id = book('Oleg Comes', '10:00');
    await event(page, /Oleg Comes/).waitFor();
    world.platform.dashboard.cancel(id);
    await event(page, /Oleg Comes/).waitFor({ state: 'detached' });
    expect(await kept?.evaluate((element) => element.isConnected)).toBe(true);
    // The next test counts the events of the week.
    world.platform.dashboard.cancel(stays);
    await event(page, /Vera Stays/).waitFor({ state: 'detached' });
  });

  atLength.test('looks as in the README', async () => {
    const week: [number, string, 'haircut' | 'massage', 'anna' | 'boris', string][] = [
      [0, '09:30', 'massage', 'anna', 'Emma Walker'],
      [0, '12:30', 'haircut', 'boris', 'Maria Lind'],
      [1, '13:30', 'haircut', 'anna', 'Oleg Smirnov'],
      [2, '09:00', 'massage', 'boris', 'Maria Lind'],
      [3, '10:00', 'haircut', 'boris', 'Oleg Smirnov'],
      [4, '09:30', 'haircut', 'anna', 'Pavel Sokolov'],
      [4, '12:00', 'massage', 'anna', 'Vera Orlova'],
    ];
    for (const [index, name] of ['Vera Orlova', 'Emma Walker', 'Maria Lind', 'Oleg Smirnov'].entries())
      world.platform.dashboard.createContact({
        projectId: world.company.projectId,
        name,
        phone: `+7495000110${index}`,
      });
    for (const [day, time, service, resource, customerName] of week)
      world.platform.dashboard.bookAs('lk', {
        serviceId: world.company[service],
        resourceId: world.company[resource],
        startsAt: `${comingDay(day, time)}:00+03:00`,
        customerName,
        customerPhone: '+74950001103',
      });
    const page = await browser.open(shown.url);
    await live(page);
    await page.getByRole('button', { name: 'Week after' }).click();
    await expect.poll(() => page.locator('.event').count()).toBe(14);
    await expect.poll(() => page.locator('.arrived').count()).toBe(0);
    await expect.poll(() => world.rows('Contacts').length).toBeGreaterThan(4);
    await page.mouse.move(0, 0);
    await takePicture(page, 'sandbox-week');
  });
});

describeInBrowser('the page of the sandbox', () => {
  const browser = useBrowser();
  let platform: PlatformSandbox;
  let google: GoogleSandbox;
  let shown: SandboxPage;

  beforeAll(async () => {
    platform = await PlatformSandbox.start({ eventDelayMs: [0, 0] });
    google = await GoogleSandbox.start();
    google.addCalendar(ANNA, { shareWith: [], timeZone: ZONE, summary: 'Anna Petrova' });
    google.addSpreadsheet(BOOK, {
      shareWith: [],
      tabs: [{ title: 'Notes', values: [['Name', 'Note'], ['Vera']] }, { title: 'Other' }],
    });
    const { dashboard } = platform;
    const projectId = dashboard.createProject({ name: 'Clinic' });
    const branchId = dashboard.createBranch({ projectId, name: 'Central', timezone: ZONE });
    const anna = dashboard.createResource({ branchId, name: 'Anna Petrova' });
    const serviceId = dashboard.createService({ projectId, name: 'Haircut', resourceIds: [anna] });
    dashboard.bookAs('lk', {
      serviceId,
      startsAt: `${comingDay(0, '10:00')}:00+03:00`,
      customerName: HOSTILE,
    });
    const at = (time: string) => ({ dateTime: `${comingDay(0, time)}:00`, timeZone: ZONE });
    google.staff.calendar.add({
      calendarId: ANNA,
      event: { summary: HOSTILE, description: HOSTILE, start: at('10:00'), end: at('11:00') },
    });
    google.staff.sheets.setRow({ spreadsheetId: BOOK, tab: 'Notes', row: 4, values: [HOSTILE] });
    shown = await startSandboxPage({ platform, google, port: 0 });
  });

  afterAll(async () => {
    await shown?.close();
    await google?.close();
    await platform?.close();
  });

  const HOSTILE = '<img src="http://elsewhere.example/x.png" onerror="document.title=1"><script>1</script>';

  const looks = [
    ['at a desk, light', {}],
    ['on a phone, dark', { isPhone: true, colours: 'dark' }],
    ['at a desk, dark', { colours: 'dark' }],
    ['on a phone, light', { isPhone: true }],
  ] as const;
  it.each(rowsOf(looks, 4))(
    'can be used by everybody %s, and nothing leaves it sideways',
    async (_, options) => {
      const page = await browser.open(shown.url, options);
      await live(page);
      await page.getByRole('button', { name: 'Week after' }).click();
      await event(page, /^<img/).waitFor();
      expect(await seriousFaults(page)).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
      await event(page, /^<img/).click();
      expect(await seriousFaults(page)).toEqual([]);
    },
  );

  it('goes to the week of a new event before it is made, and shows it arriving', async () => {
    const page = await browser.open(shown.url);
    await live(page);
    await page.getByRole('button', { name: 'New event' }).click();
    await page.getByLabel('Title').fill('Tea');
    await page.getByLabel('Start', { exact: true }).fill(comingDay(9, '09:00'));
    await page.getByLabel('End', { exact: true }).fill(comingDay(9, '09:30'));
    const flashed = untilFlashed(page, '.event.arrived');
    await page.getByRole('button', { name: 'Save' }).click();
    await event(page, /^Tea, 09:00–09:30/).waitFor();
    await flashed;
  });

  it('shows what strangers wrote as text', async () => {
    const page = await browser.open(shown.url);
    await live(page);
    await page.getByRole('button', { name: 'Week after' }).click();
    await page.locator('#appointments').getByText(HOSTILE).waitFor();
    await cell(page, HOSTILE).waitFor();
    await event(page, /^<img/).click();
    await page.locator('#event-text').getByText(HOSTILE).waitFor();
    expect(await page.title()).toBe('slotbridge sandbox');
    expect(await page.locator('img').count()).toBe(1);
  });

  atLength.test('lets a cell be edited with the keyboard alone', async () => {
    const page = await browser.open(shown.url);
    await cell(page, 'Vera').waitFor();
    while ((await page.evaluate('document.activeElement.role')) !== 'gridcell')
      await page.keyboard.press('Tab');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.type('likes tea');
    await page.keyboard.press('Enter');
    await page.getByText('Typed into B2.').waitFor();
    await cell(page, 'likes tea').waitFor();
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    await page.keyboard.type('no tea');
    await page.keyboard.press('Escape');
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('Delete');
    await page.getByText('Typed into A2.').waitFor();
    expect(google.truth.values(BOOK, 'Notes')[1]).toEqual(['', 'likes tea']);
  });

  atLength.test(
    'keeps what is typed while the worker writes around it, and types into no cell that has changed',
    async () => {
      const page = await browser.open(shown.url);
      await page.locator('td[data-at="0 4"]').dblclick();
      await page.keyboard.type('mine');
      const at = { spreadsheetId: BOOK, tab: 'Notes' };
      google.staff.sheets.setCell({ ...at, cell: 'D1', value: 'beside' });
      google.staff.sheets.setCell({ ...at, cell: 'L20', value: 'far away' });
      await cell(page, 'beside').waitFor();
      await cell(page, 'far away').waitFor();
      expect(await page.getByLabel('Cell E1').inputValue()).toBe('mine');
      google.staff.sheets.setCell({ ...at, cell: 'E1', value: 'theirs' });
      await page.keyboard.press('Enter');
      await page.getByText(/The cell has changed meanwhile/).waitFor();
      await cell(page, 'theirs').waitFor();
      expect(google.truth.values(BOOK, 'Notes')[0]?.[4]).toBe('theirs');
    },
  );

  atLength.test('flashes a tab that is not shown, and says what was refused', async () => {
    const page = await browser.open(shown.url);
    await live(page);
    google.staff.sheets.addRow({ spreadsheetId: BOOK, tab: 'Other', values: ['new'] });
    await page.locator('.tab.arrived', { hasText: 'Other' }).waitFor();
    await page.getByLabel('When').fill(comingDay(0, '10:00'));
    await page.getByRole('button', { name: 'Book', exact: true }).click();
    await page.locator('.said[data-kind=bad]').getByText('The time is taken.').waitFor();
  });

  atLength.test('goes on when the sandbox is back', async () => {
    let mine = await startSandboxPage({ platform, google, port: 0 });
    const page = await browser.open(mine.url, {
      expected: [/ERR_CONNECTION_REFUSED/, /ERR_EMPTY_RESPONSE/],
    });
    await live(page);
    await mine.close();
    await page.getByText('waiting for the sandbox').waitFor();
    mine = await startSandboxPage({ platform, google, port: Number(new URL(mine.url).port) });
    await live(page);
    await mine.close();
  });
});
