import { expect } from 'vitest';
import { messageOf, verdict } from '../office/api.ts';
import { needing, reading, writing } from '../office/fact.ts';

writing('[requests.1] an unknown field is named, by Calendar and by Sheets', async (desk) => {
  const event = await desk.insert({ colour: 'red' });
  expect([event.status, messageOf(event)]).toEqual([400, expect.stringContaining('Unknown name "colour"')]);
  const batch = await desk.batch({ addSheet: { properties: { name: 'x' } } });
  expect([batch.status, messageOf(batch)]).toEqual([400, expect.stringContaining('Unknown name "name"')]);
});

writing('[requests.2] a value of the wrong type is told with its field', async (desk) => {
  const { status, body } = await desk.batch({ addSheet: { properties: { sheetId: 'first' } } });
  expect([status, body.error.status]).toEqual([400, 'INVALID_ARGUMENT']);
  expect(body.error.details[0].fieldViolations[0].field).toBe('requests[0].add_sheet.properties.sheet_id');
});

reading('[requests.3] an unknown parameter is refused by Sheets', async (desk) => {
  const answer = await desk.sheets('GET', '', { query: { colour: 'red' } });
  expect([answer.status, messageOf(answer)]).toEqual([400, expect.stringContaining('"colour"')]);
});

needing('guess', '[requests.3] an unknown parameter is refused by Calendar', async (stage) => {
  expect((await stage.list({ colour: 'red' })).status).toBe(400);
});

reading('[requests.4] a word outside a closed list is refused', async (desk) => {
  expect((await desk.list({ orderBy: 'title' })).status).toBe(400);
  const query = { valueRenderOption: 'PRETTY' };
  expect((await desk.sheets('GET', '/values/A1', { query })).status).toBe(400);
});

writing('[requests.5] a body that is no JSON is refused', async (desk) => {
  expect((await desk.events('POST', '', { rawBody: '{"summary":' })).status).toBe(400);
  expect((await desk.sheets('POST', ':batchUpdate', { rawBody: '[1,' })).status).toBe(400);
});

reading('[requests.6] a method that does not exist is not found', async (desk) => {
  expect((await desk.api.calendar('GET', '/nowhere')).status).toBe(404);
});

reading('[requests.7] answers and refusals are JSON in UTF-8', async (desk) => {
  for (const answer of [await desk.list({ maxResults: 1 }), await desk.get({ id: desk.freshId() })])
    expect(answer.headers.get('content-type')).toMatch(/^application\/json; charset=utf-8$/i);
});

writing('[requests.8] Cyrillic, Greek and pictures come back as they were', async (desk) => {
  const summary = 'Стрижка у Анны · Ὀδυσσεύς · 💇‍♀️ "q" <b>';
  expect((await desk.made({ summary })).summary).toBe(summary);
  const tab = await desk.tab({ values: [[summary]] });
  expect(await tab.values('A1')).toEqual([[summary]]);
});

writing('[requests.9] two mistakes are told at once', async (desk) => {
  const { body } = await desk.batch({ addSheet: { properties: { name: 'x', colour: 'y' } } });
  expect(body.error.details[0].fieldViolations).toHaveLength(2);
});

writing('[requests.10] a request is one thing, not two', async (desk) => {
  const answer = await desk.batch({ addSheet: {}, deleteSheet: { sheetId: 1 } });
  expect([answer.status, messageOf(answer)]).toEqual([400, expect.stringContaining('oneof')]);
});

needing('guess', '[requests.11] an answer is lost, and the event is there', async (stage) => {
  const id = stage.freshId();
  await stage.spoil({ method: 'POST', path: '/events', fault: { kind: 'commit-then-reset' } });
  await expect(stage.insert({ id })).rejects.toThrow();
  expect(verdict(await stage.insert({ id }))).toBe('409 duplicate');
});

needing('guess', '[requests.11] an append is lost, and the row is there', async (stage) => {
  const tab = await stage.tab({ values: [['Id'], ['1']] });
  await stage.spoil({ method: 'POST', path: ':append', fault: { kind: 'commit-then-status', status: 503 } });
  expect((await tab.append('A1:A', [['2']])).status).toBe(503);
  expect(await tab.values('A1:A')).toEqual([['Id'], ['1'], ['2']]);
});

needing('faults', '[requests.12] Google’s own trouble has its own words', async (stage) => {
  for (const [trouble, status] of [
    ['calendarBackend500', 500],
    ['calendarBackend503', 503],
  ] as const) {
    await stage.spoil({ path: '/events', trouble });
    expect(verdict(await stage.list())).toBe(`${status} backendError`);
  }
  await stage.spoil({ path: '/spreadsheets', trouble: 'sheetsUnavailable' });
  expect(verdict(await stage.sheets('GET'))).toBe('503 UNAVAILABLE');
});

reading('[requests.13] no guests at all cannot be asked for', async (desk) => {
  expect((await desk.list({ maxAttendees: 0 })).status).toBe(400);
});
