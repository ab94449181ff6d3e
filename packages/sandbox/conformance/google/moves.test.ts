import { expect } from 'vitest';
import { type Answer, verdict } from '../office/api.ts';
import { needing, writing } from '../office/fact.ts';
import { ACCOUNT, type Stage } from '../office/stage.ts';

const OTHER = 'room2@group.calendar.google.com';

async function other(stage: Stage, role = 'writer'): Promise<string> {
  await stage.control('POST', 'calendars', { id: OTHER, shareWith: [ACCOUNT], role });
  return `/calendars/${encodeURIComponent(OTHER)}/events`;
}

function move(stage: Stage, event: { id: string }, destination = OTHER): Promise<Answer> {
  return stage.events('POST', `/${event.id}/move`, { query: { destination } });
}

needing(
  'ownership',
  '[moves.1] an event arrives under its id and belongs to the other calendar',
  async (stage) => {
    const path = await other(stage);
    const event = await stage.made({ description: 'kept' });
    expect((await move(stage, event)).body).toMatchObject({ id: event.id, organizer: { email: OTHER } });
    const { body } = await stage.api.calendar('GET', `${path}/${event.id}`);
    expect([body.status, body.description]).toEqual(['confirmed', 'kept']);
  },
);

needing('ownership', '[moves.2] it leaves a cancelled event behind', async (stage) => {
  await other(stage);
  const event = await stage.made();
  await move(stage, event);
  expect((await stage.get(event)).body).toMatchObject({ id: event.id, status: 'cancelled' });
});

writing('[moves.3] a move needs a destination', async (desk) => {
  const event = await desk.made();
  expect((await desk.events('POST', `/${event.id}/move`)).status).toBe(400);
});

needing('ownership', '[moves.4] an absence does not move', async (stage) => {
  await other(stage);
  const away = await stage.people('calendar/add', { event: stage.eventBody({ eventType: 'outOfOffice' }) });
  expect(verdict(await move(stage, away))).toBe('400 eventTypeRestriction');
});

needing('guess', '[moves.5] an instance of a series does not move', async (stage) => {
  await other(stage);
  const side = (hour: number) => ({ dateTime: stage.at(hour), timeZone: 'Europe/Zurich' });
  const master = await stage.made({
    recurrence: ['RRULE:FREQ=DAILY;COUNT=2'],
    start: side(9),
    end: side(10),
  });
  const [first] = (await stage.events('GET', `/${master.id}/instances`)).body.items;
  expect((await move(stage, first)).status).toBe(400);
});

needing('ownership', '[moves.6] a calendar that one may only read takes nothing in', async (stage) => {
  await other(stage, 'reader');
  const event = await stage.made();
  expect((await move(stage, event)).status).toBe(403);
  expect(verdict(await move(stage, event, 'nobody@clinic.example'))).toBe('404 notFound');
  expect((await stage.get(event)).body.status).toBe('confirmed');
});

needing('guess', '[moves.7] what was moved can be moved back', async (stage) => {
  const path = await other(stage);
  const event = await stage.made();
  await move(stage, event);
  const back = await stage.api.calendar('POST', `${path}/${event.id}/move`, {
    query: { destination: stage.calendarId },
  });
  expect(back.status).toBe(200);
  expect((await stage.get(event)).body.status).toBe('confirmed');
});
