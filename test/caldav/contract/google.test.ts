import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defaultAccount, GoogleSandbox } from '@slotbridge/sandbox/google/sandbox';
import { describe } from 'vitest';
import { createGoogleAuth } from '../../../src/google/auth.ts';
import { GoogleCalendarApi } from '../../../src/google/calendar-api.ts';
import { RecentEvents } from '../../../src/google/calendar-event.ts';
import { GoogleBusyEventsApi } from '../../../src/google/calendar-events.ts';
import { CalendarWatchApi } from '../../../src/google/calendar-watch-api.ts';
import { CountingBudget } from '../../doubles/budget.ts';
import { HandClock } from '../../doubles/hand-clock.ts';
import { MemoryProblemBoard } from '../../doubles/problem-board.ts';
import { type Calendars, calendarContract } from './contract.ts';
import { googleStaff } from './google-staff.ts';
import { STAFF_ZONE } from './staff.ts';

describe('Google Calendar', () => calendarContract(openGoogle));

async function openGoogle(): Promise<Calendars> {
  const google = await GoogleSandbox.start();
  const folder = mkdtempSync(join(tmpdir(), 'slotbridge-contract-'));
  const credentialsPath = join(folder, 'key.json');
  writeFileSync(credentialsPath, JSON.stringify(google.serviceAccountKey()));
  const timeoutMs = 5_000;
  const options = {
    credential: createGoogleAuth({ credentialsPath, tokenUrl: google.tokenUrl, timeoutMs }),
    rootUrl: google.url,
    budget: new CountingBudget(),
    recent: new RecentEvents(),
    problems: new MemoryProblemBoard(),
    clock: new HandClock(Date.parse('2026-11-02T08:00:00Z')),
    timeoutMs,
  };
  let made = 0;
  const share = (role?: 'reader') => {
    made += 1;
    const id = `calendar${made}@clinic.example`;
    google.addCalendar(id, { shareWith: [defaultAccount], timeZone: STAFF_ZONE });
    if (role !== undefined) google.grantAccess(id, undefined, role);
    return id;
  };
  return {
    api: new GoogleCalendarApi(options),
    watch: new CalendarWatchApi(options),
    busy: new GoogleBusyEventsApi(options),
    staff: googleStaff(google),
    zone: STAFF_ZONE,
    newCalendar: async () => share(),
    missingCalendar: async () => 'nobody@clinic.example',
    readOnlyCalendar: async () => share('reader'),
    async close() {
      await google.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
