import { expect } from 'vitest';
import { messageOf, verdict } from '../office/api.ts';
import { needing, reading, writing } from '../office/fact.ts';

const BAD_ID = '400 invalid';

writing('[ids.1] an event has the id that was given to it', async (desk) => {
  const id = desk.freshId();
  expect((await desk.made({ id })).id).toBe(id);
  expect((await desk.get({ id })).body.id).toBe(id);
});

writing('[ids.2] five characters make an id, four do not', async (desk) => {
  expect(verdict(await desk.insert({ id: desk.freshId(4) }))).toBe(BAD_ID);
  expect((await desk.insert({ id: desk.freshId(5) })).status).toBe(200);
});

writing('[ids.3] 1024 characters make an id, 1025 do not', async (desk) => {
  expect((await desk.insert({ id: desk.freshId(1024) })).status).toBe(200);
  expect(verdict(await desk.insert({ id: desk.freshId(1025) }))).toBe(BAD_ID);
});

writing('[ids.4] w to z, capitals, hyphens and underscores are no part of an id', async (desk) => {
  for (const letter of ['w', 'z', 'A', '-', '_', 'é'])
    expect(verdict(await desk.insert({ id: desk.freshId() + letter }))).toBe(BAD_ID);
});

writing('[ids.5] a bad id is called an invalid resource id value', async (desk) => {
  expect(messageOf(await desk.insert({ id: 'with-hyphen' }))).toBe('Invalid resource id value.');
});

writing('[ids.6] a UUID without hyphens is an id', async (desk) => {
  const id = crypto.randomUUID().replaceAll('-', '');
  expect((await desk.made({ id })).id).toBe(id);
});

writing('[ids.7] without an id the server makes one', async (desk) => {
  const [one, two] = [await desk.made(), await desk.made()];
  expect(one.id).toMatch(/^[a-v0-9]{5,}$/);
  expect(two.id).not.toBe(one.id);
});

writing('[ids.8] an event has an iCalUID beside its id', async (desk) => {
  const event = await desk.made();
  expect(event.iCalUID).toContain('@');
  expect(event.iCalUID).not.toBe(event.id);
});

writing('[ids.10] the id of a living event is taken', async (desk) => {
  const { id } = await desk.made();
  const again = await desk.insert({ id });
  expect(verdict(again)).toBe('409 duplicate');
  expect(messageOf(again)).toBe('The requested identifier already exists.');
});

writing('[ids.11] the id of a deleted event is taken, too', async (desk) => {
  const { id } = await desk.deleted();
  expect(verdict(await desk.insert({ id }))).toBe('409 duplicate');
});

writing('[ids.12] a deleted event is still there to get, as cancelled', async (desk) => {
  const answer = await desk.get(await desk.deleted());
  expect([answer.status, answer.body.status]).toEqual([200, 'cancelled']);
});

writing('[ids.13] delete answers with nothing', async (desk) => {
  const answer = await desk.delete(await desk.made());
  expect([answer.status, answer.text]).toEqual([204, '']);
});

writing('[ids.14] the second delete finds the event gone', async (desk) => {
  const again = await desk.delete(await desk.deleted());
  expect(verdict(again)).toBe('410 deleted');
  expect(messageOf(again)).toBe('Resource has been deleted');
});

reading('[ids.15] an id that nobody has given out is not found', async (desk) => {
  expect(verdict(await desk.get({ id: desk.freshId() }))).toBe('404 notFound');
});

writing('[ids.15] what is not there can be neither patched, put nor deleted', async (desk) => {
  const nobody = { id: desk.freshId() };
  expect(verdict(await desk.patch(nobody, { summary: 'x' }))).toBe('404 notFound');
  expect(verdict(await desk.put(nobody, desk.eventBody()))).toBe('404 notFound');
  expect(verdict(await desk.delete(nobody))).toBe('404 notFound');
});

writing('[ids.16] a patch brings a deleted event back, with all that it held', async (desk) => {
  const event = await desk.deleted({ description: 'kept' });
  const { status, body } = await desk.patch(event, { status: 'confirmed' });
  expect([status, body.status, body.description, body.start]).toEqual([
    200,
    'confirmed',
    'kept',
    event.start,
  ]);
});

writing('[ids.17] a put brings a deleted event back', async (desk) => {
  const event = await desk.deleted();
  const { status, body } = await desk.put(event, desk.eventBody({ status: 'confirmed', summary: 'Again' }));
  expect([status, body.status, body.summary]).toEqual([200, 'confirmed', 'Again']);
});

writing('[ids.18] a patch to cancelled deletes', async (desk) => {
  const event = await desk.made();
  await desk.patch(event, { status: 'cancelled' });
  expect((await desk.get(event)).body.status).toBe('cancelled');
  expect(verdict(await desk.delete(event))).toBe('410 deleted');
});

needing('guess', '[ids.19] an account that may not bring events back is told so, and may make a new one', {
  options: { switches: { reviveAnswers403: true } },
  run: async (stage) => {
    const event = await stage.deleted();
    expect(verdict(await stage.patch(event, { status: 'confirmed' }))).toBe('403 forbidden');
    expect((await stage.get(event)).body.status).toBe('cancelled');
    expect((await stage.insert()).status).toBe(200);
  },
});

needing('guess', '[ids.20] when the tombstone has gone, its id is free again', async (stage) => {
  const event = await stage.deleted();
  await stage.people('calendar/purgeTombstones', {});
  expect(verdict(await stage.get(event))).toBe('404 notFound');
  expect((await stage.insert({ id: event.id })).status).toBe(200);
});

needing('guess', '[ids.21] a tombstone may tell no more than id and status', {
  options: { switches: { tombstonesMinimal: true } },
  run: async (stage) => {
    const { body } = await stage.get(await stage.deleted());
    expect(Object.keys(body).sort()).toEqual(['etag', 'id', 'kind', 'status']);
  },
});

needing('guess', '[ids.22] two events lie at the same time', async (stage) => {
  const [one, two] = [await stage.made(), await stage.made()];
  expect([two.start, two.status]).toEqual([one.start, 'confirmed']);
});

needing('ownership', '[ids.23] an id of one calendar may be used in another', async (stage) => {
  const { id } = await stage.made();
  const { body: other } = await stage.api.calendar('POST', '/calendars', { body: { summary: 'Other' } });
  const path = `/calendars/${encodeURIComponent(other.id)}/events`;
  expect((await stage.api.calendar('POST', path, { body: stage.eventBody({ id }) })).status).toBe(200);
});

writing('[ids.24] a list does not show what was deleted', async (desk) => {
  const mark = desk.freshId();
  const properties = { extendedProperties: { private: { mark } } };
  const event = await desk.made(properties);
  await desk.deleted(properties);
  const { body } = await desk.list({ privateExtendedProperty: `mark=${mark}` });
  expect(body.items.map((item: { id: string }) => item.id)).toEqual([event.id]);
});
