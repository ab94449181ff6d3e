import { expect } from 'vitest';
import { verdict } from '../office/api.ts';
import { needing, reading } from '../office/fact.ts';
import { ACCOUNT } from '../office/stage.ts';

const ANN = 'ann@clinic.example';

reading('[access.1] a calendar that nobody shared is not found', async (desk) => {
  const answer = await desk.api.calendar('GET', `/calendars/${desk.freshId()}%40clinic.example/events`);
  expect(verdict(answer)).toBe('404 notFound');
});

needing('guess', '[access.2] a reader does not write', async (stage) => {
  await stage.share(ACCOUNT, 'reader');
  expect(verdict(await stage.insert())).toBe('403 requiredAccessLevel');
  expect((await stage.list()).status).toBe(200);
});

needing('accounts', '[access.3] a reader sees of a private event when it is', async (stage) => {
  const event = await stage.made({ visibility: 'private', description: 'secret' });
  await stage.share(ANN, 'reader');
  const { body } = await (await stage.as({ email: ANN })).get(event);
  expect([body.start, body.visibility]).toEqual([event.start, 'private']);
  expect([body.summary, body.description]).toEqual([undefined, undefined]);
});

needing('accounts', '[access.4] who sees free and busy sees no titles', async (stage) => {
  await stage.made({ description: 'open to readers' });
  await stage.share(ANN, 'freeBusyReader');
  const { body } = await (await stage.as({ email: ANN })).list();
  expect([body.accessRole, body.items[0].summary]).toEqual(['freeBusyReader', undefined]);
});

needing(
  'accounts',
  '[access.5] a writer without private access leaves private events alone',
  async (stage) => {
    const secret = await stage.made({ visibility: 'private' });
    const open = await stage.made();
    await stage.share(ANN, 'writerWithoutPrivateAccess');
    const ann = await stage.as({ email: ANN });
    expect((await ann.patch(secret, { summary: 'x' })).status).toBe(403);
    expect((await ann.patch(open, { summary: 'x' })).status).toBe(200);
  },
);

needing('guess', '[access.6] access goes and comes back', async (stage) => {
  const event = await stage.made();
  await stage.share(ACCOUNT, null);
  expect(verdict(await stage.get(event))).toBe('404 notFound');
  await stage.share(ACCOUNT, 'writer');
  expect((await stage.get(event)).status).toBe(200);
});

needing('guess', '[access.7] a service account’s own calendar is empty', async (stage) => {
  await stage.made();
  const { status, body } = await stage.api.calendar('GET', '/calendars/primary/events');
  expect([status, body.items, body.accessRole]).toEqual([200, [], 'owner']);
});

needing('guess', '[access.8] what is shared is not in the list', async (stage) => {
  const { body } = await stage.api.calendar('GET', '/users/me/calendarList');
  expect(body.items.map(({ id }: { id: string }) => id)).toEqual([ACCOUNT]);
});

needing('ownership', '[access.9] a shared calendar is put into the list and taken out', async (stage) => {
  const path = '/users/me/calendarList';
  const inserted = await stage.api.calendar('POST', path, { body: { id: stage.calendarId } });
  expect([inserted.status, inserted.body.accessRole]).toEqual([200, 'writer']);
  expect((await stage.api.calendar('GET', path)).body.items).toHaveLength(2);
  const entry = `${path}/${encodeURIComponent(stage.calendarId)}`;
  expect((await stage.api.calendar('DELETE', entry)).status).toBe(204);
  expect((await stage.api.calendar('GET', entry)).status).toBe(404);
});

needing('ownership', '[access.10] the owner sees who may do what', async (stage) => {
  await stage.share(ACCOUNT, 'owner');
  await stage.share(ANN, 'reader');
  const { body } = await stage.calendar('GET', '/acl');
  expect(body.kind).toBe('calendar#acl');
  expect(body.items).toContainEqual(
    expect.objectContaining({ id: `user:${ANN}`, role: 'reader', scope: { type: 'user', value: ANN } }),
  );
});

needing('ownership', '[access.11] the owner shares, changes and takes back', async (stage) => {
  await stage.share(ACCOUNT, 'owner');
  const ann = await stage.as({ email: ANN });
  const scope = { type: 'user', value: ANN };
  expect((await stage.calendar('POST', '/acl', { body: { role: 'reader', scope } })).status).toBe(200);
  expect((await ann.insert()).status).toBe(403);
  await stage.calendar('PATCH', `/acl/user:${ANN}`, { body: { role: 'writer' } });
  expect((await ann.insert()).status).toBe(200);
  expect((await stage.calendar('DELETE', `/acl/user:${ANN}`)).status).toBe(204);
  expect((await ann.list()).status).toBe(404);
  expect((await stage.calendar('GET', `/acl/user:${ANN}`)).status).toBe(404);
});

needing('ownership', '[access.12] a writer reads the rules and does not change them', async (stage) => {
  expect((await stage.calendar('GET', '/acl')).status).toBe(200);
  const body = { role: 'reader', scope: { type: 'user', value: ANN } };
  expect((await stage.calendar('POST', '/acl', { body })).status).toBe(403);
});

needing('ownership', '[access.13] a rule without a role or a scope is refused', async (stage) => {
  await stage.share(ACCOUNT, 'owner');
  const scope = { type: 'user', value: ANN };
  for (const body of [{ scope }, { role: 'reader' }, { role: 'reader', scope: { value: ANN } }])
    expect(verdict(await stage.calendar('POST', '/acl', { body }))).toBe('400 required');
});

needing('ownership', '[access.14] a public calendar is read by everybody', async (stage) => {
  await stage.share(ACCOUNT, 'owner');
  await stage.calendar('POST', '/acl', { body: { role: 'reader', scope: { type: 'default' } } });
  const { status, body } = await (await stage.as({ email: 'stranger@elsewhere.example' })).list();
  expect([status, body.accessRole]).toEqual([200, 'reader']);
});

needing('keys', '[access.15] the scope for owned calendars does not write to shared ones', async (stage) => {
  const narrow = await stage.as({ scopes: ['calendar.events.owned'] });
  expect((await narrow.insert()).status).toBe(403);
  await stage.share(ACCOUNT, 'owner');
  expect((await narrow.insert()).status).toBe(200);
});

needing('keys', '[access.16] the scope for made calendars finds no other', async (stage) => {
  const { api } = await stage.as({ scopes: ['calendar.app.created'] });
  const shared = `/calendars/${encodeURIComponent(stage.calendarId)}/events`;
  expect((await api.calendar('GET', shared)).status).toBe(404);
  const { body } = await api.calendar('POST', '/calendars', { body: { summary: 'Mine' } });
  const mine = `/calendars/${encodeURIComponent(body.id)}/events`;
  expect((await api.calendar('POST', mine, { body: stage.eventBody() })).status).toBe(200);
});

needing('keys', '[access.17] the scope for free and busy shows no titles', async (stage) => {
  await stage.made();
  const narrow = await stage.as({ scopes: ['calendar.events.freebusy'] });
  const [item] = (await narrow.list()).body.items;
  expect([item.summary, item.start !== undefined]).toEqual([undefined, true]);
  expect((await narrow.insert()).status).toBe(403);
});

needing('ownership', '[access.18] a role that nobody knows is refused', async (stage) => {
  await stage.share(ACCOUNT, 'owner');
  const body = { role: 'king', scope: { type: 'user', value: ANN } };
  expect((await stage.calendar('POST', '/acl', { body })).status).toBe(400);
});
