import { GoogleSandbox } from '@slotbridge/sandbox/google/sandbox';
import { seedCompany } from '@slotbridge/sandbox/platform/company';
import { Random } from '@slotbridge/sandbox/platform/random';
import { PlatformSandbox } from '@slotbridge/sandbox/platform/sandbox';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { judgeClasses } from '../../demo/classes/judge.ts';
import { type Course, furnishCourse, playCourse } from '../../demo/classes/play.ts';
import { wireText } from '../../demo/judge/company.ts';

const COURSE = { serviceId: 'yoga', calendarId: 'coach', title: 'Yoga', places: 8 };
const IDS = ['00000000-0000-4000-8000-000000000001', '00000000-0000-4000-8000-000000000002'] as const;
const at = (time: string) => `2026-12-01T${time}:00Z`;
const booked = (about: object = {}) => ({
  ...{ id: IDS[0], service_id: 'yoga', status: 'confirmed', guests_count: 1 },
  ...{ starts_at: at('18:00'), ends_at: at('19:00'), ...about },
});
const WORD = '\n\n──────────\nPut back.';
const event = (about: object = {}) => ({
  ...{ id: 'e1', summary: 'Yoga (3/8)', description: `5 free${WORD}` },
  ...{ start: { dateTime: at('18:00') }, end: { dateTime: at('19:00') }, ...about },
});
const TWO = [booked(), booked({ id: IDS[1], status: 'arrived', guests_count: 2 })];

function judge(appointments: readonly object[], events: Readonly<Record<string, readonly object[]>>) {
  const { expected, right, wrong } = judgeClasses(COURSE, {
    appointments: appointments as readonly Record<string, unknown>[],
    events: (calendarId) => (events[calendarId] ?? []) as readonly Record<string, unknown>[],
    calendars: ['anna', 'coach'],
  });
  return { expected, right, wrong: wrong.map((line) => line.replace(/^(class of ).*Z: /, '')) };
}

describe('the judge of classes', () => {
  it('finds one event for each hour with all its guests, and none for those who left', () => {
    const left = booked({ status: 'cancelled', starts_at: at('20:00') });
    const other = booked({ service_id: 'massage', starts_at: at('20:00') });
    expect(judge([...TWO, left, other], { coach: [event()] })).toEqual({ expected: 1, right: 1, wrong: [] });
  });

  it.each([
    ['another number of guests', [event({ summary: 'Yoga (2/8)' })], '3 come, and the event says 2/8'],
    ['people’s own title', [event({ summary: 'Lunch?' })], '3 come, and the event says something else'],
    ['another description', [event({ description: 'Full' })], 'the description says something else'],
    ['another end', [event({ end: { dateTime: at('19:15') } })], 'the event ends at another time'],
    ['a class without an event', [], '0 events'],
    ['one with two', [event(), event({ id: 'e2' })], '2 events'],
  ])('tells %s', (_, events, what) => {
    expect(judge(TWO, { coach: events })).toEqual({ expected: 1, right: 0, wrong: [what] });
  });

  it('tells an event that stands elsewhere, or for a class to which nobody comes', () => {
    const elsewhere = event({ start: { dateTime: at('20:00') } });
    expect(judge(TWO, { coach: [elsewhere] }).wrong).toEqual(['0 events', 'an event, and nobody comes']);
    expect(judge([], { coach: [event()] }).wrong).toEqual(['an event, and nobody comes']);
    const wholeDay = event({ start: { date: '2026-12-01' }, end: { date: '2026-12-02' } });
    expect(judge([], { coach: [wholeDay] }).wrong).toEqual([
      'class of a whole day: an event, and nobody comes',
    ]);
  });

  it('tells an event of its own, in whichever calendar', () => {
    const own = event({ description: `Phone: none\nBooking ${IDS[1]}` });
    const wrong = [`appointment ${IDS[1]}: in a class, with an event of its own`];
    expect(judge(TWO, { coach: [event()], anna: [own] })).toEqual({ expected: 1, right: 1, wrong });
  });
});

describe('the day of a class', () => {
  let platform: PlatformSandbox;
  let google: GoogleSandbox;
  let course: Course;
  beforeEach(async () => {
    platform = await PlatformSandbox.start({ seed: 3 });
    google = await GoogleSandbox.start({ seed: 3 });
    const company = seedCompany(platform, { seed: 3, contacts: 10, appointments: 10 });
    course = { ...furnishCourse(platform, company), calendarId: 'coach@calendar.example' };
    google.addCalendar(course.calendarId, { shareWith: [] });
  });
  afterEach(async () => {
    await google.close();
    await platform.close();
  });

  it('has customers who come, go and change, and hands on its events', async () => {
    for (const startsAt of course.hours)
      google.staff.calendar.add({
        calendarId: course.calendarId,
        event: { summary: 'Yoga', start: { dateTime: startsAt }, end: { dateTime: startsAt } },
      });
    const told = new Set<string>();
    let changes = 0;
    const over = new AbortController();
    platform.observe({
      changed: ({ type }) => {
        told.add(type);
        changes += 1;
        if (changes >= 40) over.abort();
      },
    });
    const before = google.truth.events(course.calendarId).map((one) => wireText(one['updated']));
    const hands = await playCourse(
      { platform, google, course, random: new Random(3), pauseMs: 1 },
      over.signal,
    );
    expect([...told].sort()).toEqual([
      'appointment.cancelled',
      'appointment.created',
      'appointment.rescheduled',
    ]);
    expect(hands).toBeGreaterThan(0);
    expect(google.truth.events(course.calendarId).map((one) => wireText(one['updated']))).not.toEqual(before);
  });
});
