/** What an office does with calendars beside the mirror, on CalDAV servers: bookings typed into them, private time, audits, erasure. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeOn, type ServerName } from '../caldav/servers/describe.ts';
import { hourFrom, icalendar, makeCalendar } from '../caldav/stand.ts';
import { type CaldavWorld, startCaldavWorld, until, walkIns } from '../stand/caldav-world.ts';
import { runHere } from '../stand/command.ts';
import { slot } from '../stand/world.ts';

const SERVERS: readonly ServerName[] = ['radicale'];
const LARGE: readonly ServerName[] = ['davical'];
const isSoak = process.env['SLOTBRIDGE_TESTS'] === 'soak';
const HOUSE = '00000000-0000-4000-8000-00000000b10c';

/** An hour of work, as a phone writes it. */
const event = (uid: string, startsAt: string, lines: readonly string[]) =>
  icalendar(uid, [...hourFrom(startsAt), ...lines]);

for (const name of [...SERVERS, ...(isSoak ? LARGE : [])])
  describeOn(name, (start) => {
    let at: CaldavWorld;
    let family: string;

    beforeAll(async () => {
      const server = await start();
      family = await makeCalendar(server.accounts[0], 'family');
      at = await startCaldavWorld(server, {
        event: 'description: "{{ customer_phone }}"',
        furnish({ platform: { dashboard }, company: { projectId, anna } }) {
          dashboard.createService({
            ...{ projectId, name: 'Busy', resourceIds: [anna], bookingMode: 'interval' },
            ...{ minDurationMin: 15, maxDurationMin: 480, durationStepMin: 15, onlineBookable: false },
          });
          dashboard.createContact({ projectId, id: HOUSE, name: 'House' });
        },
        rest: (calendar) => `${walkIns(calendar)}blocks:
  private-time:
    service: Busy
    contact: ${HOUSE}
    people:
      Anna Petrova: [{ id: "${family}", account: office }]
    hours: { daily: "00:00-24:00" }
    every: 1s
`,
      });
      await at.world.untilIdle(at.url);
    }, 180_000);
    afterAll(() => at.close());

    const appointments = (of: (contactId: unknown) => boolean) =>
      at.world.platform.truth
        .appointments()
        .filter(({ contact_id: contactId, status }) => of(contactId) && status !== 'cancelled');
    const booked = () => appointments((contactId) => contactId !== HOUSE);
    const blocked = () => appointments((contactId) => contactId === HOUSE).map(({ starts_at }) => starts_at);
    const slotbridge = (...args: string[]) => runHere([...args, '--config', at.world.writeConfig(at.port)]);

    it('an event that a rule takes is booked once, and follows as every mirrored one; a taken hour is refused in it', async () => {
      const { world, url, calendar, hands } = at;
      const file = `${calendar}walk-in.ics`;
      const typed = (startsAt: string) =>
        event('walk-in-1', startsAt, ['SUMMARY:#book Vera Orlova', 'DESCRIPTION:+7 495 000-11-01']);
      await hands.put(file, typed(slot(40)));
      await until(async () => expect(booked()).toHaveLength(1));
      const [{ id }] = booked() as [{ id: string }];
      expect(booked()[0]).toMatchObject({ starts_at: slot(40), customer_phone: '+74950001101' });
      await world.untilIdle(url);
      await until(async () => expect(await hands.get(file)).toContain('SUMMARY:Haircut\\, Vera Orlova'));
      expect(await hands.names(calendar)).toEqual(['walk-in.ics']);

      await hands.put(
        `${calendar}twin.ics`,
        event('walk-in-2', slot(40), ['SUMMARY:#book Nina Belova', 'DESCRIPTION:+7 495 000-11-02']),
      );
      await until(async () => {
        const said = await hands.get(`${calendar}twin.ics`);
        expect(said.replace(/\r?\n /g, '')).toMatch(/DESCRIPTION:\+7 495 000-11-02\\n.*Nearest free times/);
      });
      expect(booked()).toHaveLength(1);

      const shown = await hands.get(file);
      const moved = shown.replace(
        /^(DT(?:START|END)[^:\r\n]*:\d{8}T)(\d\d)/gm,
        (_, head: string, hour: string) => `${head}${String((Number(hour) + 3) % 24).padStart(2, '0')}`,
      );
      await hands.put(file, moved);
      await until(async () => expect(booked()[0]?.['starts_at']).not.toBe(slot(40)));
      await world.untilIdle(url);
      await hands.remove(file);
      await until(async () =>
        expect(world.platform.truth.appointment(id)).toMatchObject({ status: 'cancelled' }),
      );
      await hands.remove(`${calendar}twin.ics`);
      await world.untilIdle(url);
    }, 180_000);

    it('private time takes hours on the platform, follows its event, and is free when that is deleted', async () => {
      const { hands } = at;
      const file = `${family}dentist.ics`;
      await hands.put(file, event('dentist-1', slot(60), ['SUMMARY:Dentist']));
      await until(async () => expect(blocked()).toEqual([slot(60)]));
      await hands.put(file, event('dentist-1', slot(62), ['SUMMARY:Dentist', 'SEQUENCE:1']));
      await until(async () => expect(blocked()).toEqual([slot(62)]));
      await hands.put(file, event('dentist-1', slot(62), ['SUMMARY:Dentist', 'TRANSP:TRANSPARENT']));
      await until(async () => expect(blocked()).toEqual([]));
      await hands.put(file, event('dentist-1', slot(62), ['SUMMARY:Dentist']));
      await until(async () => expect(blocked()).toEqual([slot(62)]));
      await hands.remove(file);
      await until(async () => expect(blocked()).toEqual([]));
      expect(JSON.stringify(at.world.platform.truth.appointments())).not.toContain('Dentist');
    }, 180_000);

    it('audit, whereis and forget reach events on the server: copies are found, and a person leaves each event', async () => {
      const { world, url, calendar, hands } = at;
      const { projectId, haircut, anna } = world.company;
      const { dashboard } = world.platform;
      const contact = { name: 'Sofia Lind', phone: '+74950001107' };
      const contactId = dashboard.createContact({ projectId, ...contact });
      const id = dashboard.bookAs('lk', {
        ...{ serviceId: haircut, resourceId: anna, startsAt: slot(50), contactId },
        ...{ customerName: contact.name, customerPhone: contact.phone },
      });
      await until(async () => expect(await hands.names(calendar)).toHaveLength(1));
      await world.untilIdle(url);
      const clean = await slotbridge('audit', '--json');
      expect(clean.code, clean.stdout + clean.stderr).toBe(0);

      const [file = ''] = await hands.names(calendar);
      const text = await hands.get(`${calendar}${file}`);
      const copied = await hands.put(`${calendar}copy.ics`, text.replace(/^UID:.*$/m, 'UID:a-copy'));
      expect(copied).toBeLessThan(300);
      await world.untilIdle(url);
      const where = await slotbridge('whereis', 'contact', contact.phone);
      expect(where.stdout).toContain(`calendar ${calendar}: 2\n`);

      dashboard.cancel(id);
      await world.untilIdle(url);
      const told = await slotbridge('forget', 'contact', contactId, '--yes');
      expect(told.code, told.stdout + told.stderr).toBe(0);
      await world.untilIdle(url);
      const names = await hands.names(calendar);
      const texts = await Promise.all(names.map((each) => hands.get(`${calendar}${each}`)));
      expect(told.stdout).toContain('Erased, and verified at');
      expect(texts.join()).not.toMatch(/Sofia|4950001107/);
    }, 180_000);
  });
