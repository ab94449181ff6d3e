import { expect, test } from 'vitest';
import { templateOf } from '../../src/operate/tracing.ts';

test.each([
  ['/calendar/v3/calendars/anna%40clinic.example/events/sb12', '/calendar/v3/calendars/{id}/events/{id}'],
  ['/calendar/v3/calendars/anna/events', '/calendar/v3/calendars/{id}/events'],
  ['/v4/spreadsheets/1AbC:batchUpdate', '/v4/spreadsheets/{id}:batchUpdate'],
  ['/v4/spreadsheets/1AbC/values/Contacts!A1:Z9', '/v4/spreadsheets/{id}/values/{id}'],
  ['/v4/spreadsheets/1AbC/values:batchGet', '/v4/spreadsheets/{id}/values:batchGet'],
  ['/v1/appointments/7c5afe01-34b1-475c-a68c-42b3f256346e/cancel', '/v1/appointments/{id}/cancel'],
  ['/v1/contacts/+74951234567', '/v1/contacts/{id}'],
  ['/token', '/token'],
  ['/', '/'],
])('%s is shown as %s, without what names a person', (path, template) => {
  expect(templateOf(path)).toBe(template);
});
