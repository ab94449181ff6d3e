import { expect } from 'vitest';
import { verdict } from '../stage/api.ts';
import { UNKNOWN_ID } from '../stage/company.ts';
import { needing, reading } from '../stage/fact.ts';

const DAY_MS = 86_400_000;
const NOT_FOUND = '404 not-found';

needing('company', '[feed.1] the newest event stands first', async (stage) => {
  await stage.subscribe();
  const { id } = (await stage.book()).body;
  await stage.api.post(`/appointments/${id}/reschedule`, { starts_at: stage.at(14) });
  await stage.api.post(`/appointments/${id}/cancel`, {});
  expect(await stage.feedTypes()).toEqual([
    'appointment.cancelled',
    'appointment.rescheduled',
    'appointment.created',
  ]);
});

needing('company', '[feed.2][feed.12] what nobody subscribes to never enters the feed', async (stage) => {
  await stage.contact();
  expect(await stage.feed()).toEqual([]);
  await stage.subscribe(undefined, ['lead.created']);
  await stage.contact();
  expect(await stage.feed()).toEqual([]);
});

needing('receiver', '[feed.3] the feed shows the very body that was sent', async (stage) => {
  const { received } = await stage.listen();
  await stage.contact({ name: 'Ann' });
  await stage.control.settle();
  expect(await stage.feed()).toEqual(received.map(({ body }) => body));
});

needing('clock', '[feed.4][feed.8] after 30 days an event is neither listed nor found', async (stage) => {
  await stage.subscribe();
  await stage.contact();
  const [event] = await stage.feed();
  await stage.control.advance(30 * DAY_MS - 60_000);
  expect(await stage.feedTypes()).toEqual(['contact.created']);
  expect(verdict(await stage.api.get(`/events/${event.id}`))).toBe('200');
  await stage.control.advance(120_000);
  expect(await stage.feed()).toEqual([]);
  expect(verdict(await stage.api.get(`/events/${event.id}`))).toBe(NOT_FOUND);
});

needing('dashboard', '[feed.5] with a project only its events are shown', async (stage) => {
  await stage.subscribe();
  const projectId = await stage.staff('createProject', { name: 'Other' });
  await stage.contact();
  await stage.staff('createContact', { projectId, name: 'Theirs' });
  const events = await stage.feed(`&project_id=${projectId}`);
  expect(events.map((event) => event.data.object.name)).toEqual(['Theirs']);
});

reading('[feed.6] with a type only that type is shown', async (company) => {
  const { type } = await company.one('/events');
  for (const event of await company.some(`/events?type=${type}`)) expect(event.type).toBe(type);
});

needing('company', '[feed.6] half a type matches nothing', async (stage) => {
  await stage.subscribe();
  await stage.contact();
  expect(await stage.feedTypes('&type=contact.created')).toEqual(['contact.created']);
  for (const type of ['contact', 'contact.*', 'contact.create'])
    expect((await stage.api.get(`/events?type=${type}`)).body.data ?? []).toEqual([]);
});

reading('[feed.7] an event is got by its id as the list shows it', async (company) => {
  const event = await company.one('/events');
  expect((await company.api.get(`/events/${event.id}`)).body).toEqual(event);
});

needing('receiver', '[feed.9] a test event is not found', async (stage) => {
  const { received, endpoint } = await stage.listen();
  await stage.api.post(`/webhook_endpoints/${endpoint['id']}/test`, { type: 'contact.created' });
  expect(await stage.feed()).toEqual([]);
  expect(verdict(await stage.api.get(`/events/${received[0]?.body.id}`))).toBe(NOT_FOUND);
});

needing(
  'keys',
  '[feed.10][feed.15] what a key may not read it does not find, and may not ask for by type',
  async (stage) => {
    await stage.subscribe();
    await stage.contact();
    const [event] = await stage.feed();
    const api = await stage.apiWith({ scopes: ['webhooks:manage', 'leads:read'] });
    expect(verdict(await api.get(`/events/${event.id}`))).toBe(NOT_FOUND);
    expect(verdict(await api.get('/events?type=contact.created'))).toBe('403 forbidden');
  },
);

needing(
  'keys',
  '[feed.11] what happens in projects that are not in the key is not shown to it',
  async (stage) => {
    await stage.subscribe();
    const projectId = await stage.staff('createProject', { name: 'Other' });
    await stage.contact();
    const [event] = await stage.feed();
    const api = await stage.apiWith({ projectIds: [projectId] });
    expect((await api.get('/events')).body.data).toEqual([]);
    expect(verdict(await api.get(`/events/${event.id}`))).toBe(NOT_FOUND);
  },
);

reading('[feed.13] an unknown event is not found', async ({ api }) => {
  expect(verdict(await api.get(`/events/${UNKNOWN_ID}`))).toBe(NOT_FOUND);
});

needing('company', '[feed.16] a walk through the feed meets every event once', async (stage) => {
  await stage.subscribe();
  for (let count = 0; count < 7; count += 1) await stage.contact({ name: `C${count}` });
  const whole = (await stage.feed()).map(({ id }) => id);
  const walked: string[] = [];
  for (let cursor = '', more = true; more; cursor = `&starting_after=${walked.at(-1)}`) {
    const { body } = await stage.api.get(`/events?limit=3${cursor}`);
    walked.push(...body.data.map((event: { id: string }) => event.id));
    more = body.has_more;
  }
  expect(whole).toHaveLength(7);
  expect(walked).toEqual(whole);
});

reading('[feed.19] every event has every field of the table, and none is a test', async (company) => {
  for (const event of await company.some('/events?limit=100')) {
    expect(Object.keys(event)).toEqual(
      expect.arrayContaining(['id', 'object', 'type', 'created_at', 'project_id', 'test', 'data']),
    );
    expect([event.object, event.test]).toEqual(['event', false]);
    expect([typeof event.data.object.object, typeof event.data.object.id]).toEqual(['string', 'string']);
  }
});

needing(
  'receiver',
  '[feed.20] an event that the customer’s server refused is in the feed all the same',
  async (stage) => {
    const receiver = await stage.listen();
    receiver.answer = () => 500;
    await stage.control.setDelivery({ retryDelaysMs: [] });
    await stage.contact();
    await stage.control.settle();
    expect(await stage.feedTypes()).toEqual(['contact.created']);
  },
);

needing('company', '[feed.21] an event that three endpoints got stands once', async (stage) => {
  for (let count = 0; count < 3; count += 1) await stage.subscribe();
  await stage.contact();
  expect(await stage.feedTypes()).toEqual(['contact.created']);
});
