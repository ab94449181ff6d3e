// English for people: what problems are about, and how many.
import { ownTargets } from './code-text.ts';

export const pluralEn = (count: number, one: string, many = `${one}s`) =>
  `${count.toLocaleString('en')} ${count === 1 ? one : many}`;

/** The subject of a problem; an id may follow. */
export const TARGETS_EN: Readonly<Record<string, string>> = {
  'platform-api': 'platform',
  redis: 'Redis',
  google: 'Google',
  configuration: 'settings',
  'spreadsheet-zone': 'time zone of the spreadsheet',
  'spreadsheet-size': 'size of the spreadsheet',
  intake: 'booking sheet',
  'carried-rows': 'edits of rows',
  edits: 'edits of rows',
  bookings: 'new rows',
  'sheet-check': 'check of a tab',
  'sheet-copies': 'copies of rows',
  'sheet-cells': 'cells of a tab',
  'sheet-rows': 'rows of a tab',
  'sheet-covered': 'cells of a tab',
  'sheet-merged': 'merged cells of a tab',
  'sheet-filter': 'filter of a tab',
  'sheet-moved': 'rows of a tab',
  'sheet-gaps': 'gaps of a tab',
  retention: 'storage periods',
  'status-tab': 'status tab',
  'drop-downs': 'drop-downs',
  blocks: 'blocked time',
  'class-move': 'move of a class',
  erasures: 'erasure',
  'webhook-signature': 'webhook signatures',
  'webhook-secrets': 'webhook secrets',
  'webhook-endpoint': 'webhook endpoint',
  'calendar-push': 'pings of calendars',
  zone: 'time zone',
  ...ownTargets('en'),
};
