import { expect } from 'vitest';
import { verdict } from '../office/api.ts';
import { needing, writing } from '../office/fact.ts';

const UNMET = '412 conditionNotMet';

const ifMatch = (etag: string) => ({ headers: { 'If-Match': etag } });

writing('[etags.1] an etag is a quoted text, the same in body and header', async (desk) => {
  const { body, headers } = await desk.get(await desk.made());
  expect(body.etag).toMatch(/^".+"$/);
  expect(headers.get('etag')).toBe(body.etag);
});

writing('[etags.2] each write gives another etag, each read the same', async (desk) => {
  const event = await desk.made();
  expect((await desk.get(event)).body.etag).toBe(event.etag);
  expect((await desk.patch(event, { summary: 'Other' })).body.etag).not.toBe(event.etag);
});

writing('[etags.3] an update under an old etag is refused and changes nothing', async (desk) => {
  const event = await desk.made();
  await desk.patch(event, { summary: 'Meanwhile' });
  expect(verdict(await desk.put(event, desk.eventBody({ summary: 'Late' }), ifMatch(event.etag)))).toBe(
    UNMET,
  );
  expect((await desk.get(event)).body.summary).toBe('Meanwhile');
});

writing('[etags.4] a delete under an old etag is refused', async (desk) => {
  const event = await desk.made();
  await desk.patch(event, { summary: 'Meanwhile' });
  expect(verdict(await desk.delete(event, ifMatch(event.etag)))).toBe(UNMET);
  expect((await desk.get(event)).body.status).toBe('confirmed');
});

needing('guess', '[etags.5] a patch under an old etag is refused', async (stage) => {
  const event = await stage.made();
  await stage.patch(event, { summary: 'Meanwhile' });
  expect(verdict(await stage.patch(event, { summary: 'Late' }, ifMatch(event.etag)))).toBe(UNMET);
});

needing('guess', '[etags.5] or it is not, for the guide names only update and delete', {
  options: { switches: { patchIgnoresIfMatch: true } },
  run: async (stage) => {
    const event = await stage.made();
    await stage.patch(event, { summary: 'Meanwhile' });
    expect((await stage.patch(event, { summary: 'Late' }, ifMatch(event.etag))).status).toBe(200);
  },
});

writing('[etags.6] the refusal points to the header', async (desk) => {
  const event = await desk.made();
  const { body } = await desk.delete(event, ifMatch('"1"'));
  expect(body.error.errors[0]).toMatchObject({
    domain: 'global',
    reason: 'conditionNotMet',
    message: 'Precondition Failed',
    locationType: 'header',
    location: 'If-Match',
  });
});

writing('[etags.7] under the present etag an update and a delete go through', async (desk) => {
  const event = await desk.made();
  const changed = await desk.put(event, desk.eventBody({ summary: 'New' }), ifMatch(event.etag));
  expect([changed.status, changed.body.summary]).toEqual([200, 'New']);
  expect((await desk.delete(event, ifMatch(changed.body.etag))).status).toBe(204);
});

writing('[etags.8] what has not changed is not sent again', async (desk) => {
  const event = await desk.made();
  const headers = { 'If-None-Match': event.etag };
  const same = await desk.events('GET', `/${event.id}`, { headers });
  expect([same.status, same.text]).toEqual([304, '']);
  await desk.patch(event, { summary: 'Other' });
  expect((await desk.events('GET', `/${event.id}`, { headers })).status).toBe(200);
});

writing('[etags.9] another reminder leaves `updated` as it was', async (desk) => {
  const event = await desk.made();
  const reminders = { useDefault: false, overrides: [{ method: 'popup', minutes: 5 }] };
  expect((await desk.patch(event, { reminders })).body.updated).toBe(event.updated);
});

needing(
  'guess',
  '[etags.10] the sequence grows with the time and the place, not with the title',
  async (stage) => {
    const event = await stage.made();
    expect(event.sequence).toBe(0);
    expect((await stage.patch(event, { summary: 'Other' })).body.sequence).toBe(0);
    expect((await stage.patch(event, { end: { dateTime: stage.at(11) } })).body.sequence).toBe(1);
    expect((await stage.patch(event, { location: 'Room 2' })).body.sequence).toBe(2);
  },
);

needing('guess', '[etags.11] a sequence below the present one is refused', async (stage) => {
  const event = await stage.made();
  await stage.patch(event, { end: { dateTime: stage.at(11) } });
  expect(verdict(await stage.patch(event, { sequence: 0, summary: 'Late' }))).toBe('400 invalid');
});

needing('clock', '[etags.12] a change moves `updated` and leaves `created`', async (stage) => {
  const event = await stage.made();
  await stage.advance(60_000);
  const { body } = await stage.patch(event, { summary: 'Other' });
  expect(body.created).toBe(event.created);
  expect(Date.parse(body.updated)).toBeGreaterThan(Date.parse(event.updated));
});

needing('guess', '[etags.13] a refused write leaves the etag', async (stage) => {
  const event = await stage.made();
  await stage.patch(event, { colorId: '99' });
  expect((await stage.get(event)).body.etag).toBe(event.etag);
});
