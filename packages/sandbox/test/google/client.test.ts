import { gaxios, JWT, OAuth2Client } from 'google-auth-library';
import { calendar } from 'googleapis/build/src/apis/calendar/index.js';
import { sheets } from 'googleapis/build/src/apis/sheets/index.js';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { book, eventBody, type Rig, room, startRig } from './rig.ts';

let rig: Rig;
beforeEach(async () => {
  rig = await startRig();
});
afterEach(() => rig.sandbox.close());

const scopes = ['https://www.googleapis.com/auth/calendar', 'https://www.googleapis.com/auth/spreadsheets'];

/** gtoken has Google's token address built in; the transporter leads it to the sandbox. */
function serviceAccount(): JWT {
  const key = rig.sandbox.serviceAccountKey() as { client_email: string; private_key: string };
  const transporter = new gaxios.Gaxios();
  transporter.interceptors.request.add({
    resolved: async (options) => {
      if (String(options.url).startsWith('https://oauth2.googleapis.com/token'))
        options.url = new URL(rig.sandbox.tokenUrl);
      return options;
    },
  });
  return new JWT({ email: key.client_email, key: key.private_key, scopes, transporter });
}

test('the real client signs in with the key file and keeps an event', async () => {
  const api = calendar({ version: 'v3', auth: serviceAccount(), rootUrl: `${rig.sandbox.url}/` });
  const made = await api.events.insert({ calendarId: room, sendUpdates: 'none', requestBody: eventBody() });
  const id = made.data.id ?? '';
  const patched = await api.events.patch(
    { calendarId: room, eventId: id, requestBody: { summary: 'Shave' } },
    { headers: { 'If-Match': made.data.etag ?? '' } },
  );
  expect(patched.data.summary).toBe('Shave');
  const listed = await api.events.list({ calendarId: room });
  expect(listed.data.items?.map((event) => event.summary)).toEqual(['Shave']);
  expect((await api.events.delete({ calendarId: room, eventId: id })).status).toBe(204);
});

test('the real client meets a 412 when its etag is old', async () => {
  const api = calendar({ version: 'v3', auth: serviceAccount(), rootUrl: `${rig.sandbox.url}/` });
  const made = await api.events.insert({ calendarId: room, requestBody: eventBody() });
  const id = made.data.id ?? '';
  rig.sandbox.staff.calendar.retitle({ calendarId: room, eventId: id, summary: 'Theirs' });
  const late = api.events.patch(
    { calendarId: room, eventId: id, requestBody: { summary: 'Ours' } },
    { headers: { 'If-Match': made.data.etag ?? '' } },
  );
  await expect(late).rejects.toMatchObject({ status: 412 });
  expect(rig.sandbox.truth.event(room, id)?.['summary']).toBe('Theirs');
});

test('the real client reads and writes a sheet', async () => {
  const api = sheets({ version: 'v4', auth: serviceAccount(), rootUrl: `${rig.sandbox.url}/` });
  await api.spreadsheets.values.append({
    spreadsheetId: book,
    range: "'My Tab'!A:C",
    valueInputOption: 'RAW',
    insertDataOption: 'INSERT_ROWS',
    requestBody: {
      values: [
        ['id', 'name'],
        ['1', '=A1'],
      ],
    },
  });
  const read = await api.spreadsheets.values.get({ spreadsheetId: book, range: "'My Tab'!A:Z" });
  expect(read.data.values).toEqual([
    ['id', 'name'],
    ['1', '=A1'],
  ]);
  const about = await api.spreadsheets.get({
    spreadsheetId: book,
    fields: 'sheets.properties(sheetId,title)',
  });
  expect(about.data.sheets?.map((sheet) => sheet.properties?.title)).toEqual(['Sheet1', 'My Tab']);
  const [, tab] = about.data.sheets ?? [];
  const batch = await api.spreadsheets.batchUpdate({
    spreadsheetId: book,
    requestBody: {
      requests: [
        { appendDimension: { sheetId: tab?.properties?.sheetId ?? 0, dimension: 'ROWS', length: 3 } },
      ],
    },
  });
  expect(batch.data.replies).toEqual([{}]);
});

test('the real client refreshes a person’s token', async () => {
  const grant = rig.sandbox.oauthGrant(room, scopes);
  const auth = new OAuth2Client({
    clientId: grant.client_id,
    clientSecret: grant.client_secret,
    endpoints: { oauth2TokenUrl: rig.sandbox.tokenUrl },
  });
  auth.setCredentials({ refresh_token: grant.refresh_token });
  const api = calendar({ version: 'v3', auth, rootUrl: `${rig.sandbox.url}/` });
  expect((await api.events.list({ calendarId: 'primary' })).data.accessRole).toBe('owner');
});

test('the real client is told invalid_grant when the account is disabled', async () => {
  rig.sandbox.revokeGrants();
  const api = calendar({
    version: 'v3',
    auth: serviceAccount(),
    rootUrl: `${rig.sandbox.url}/`,
    retry: false,
  });
  await expect(api.events.list({ calendarId: room })).rejects.toThrow(/invalid_grant/);
  rig.sandbox.restoreGrants();
  expect((await api.events.list({ calendarId: room })).status).toBe(200);
});
