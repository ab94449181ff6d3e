import { expect } from 'vitest';
import { verdict } from '../office/api.ts';
import { needing } from '../office/fact.ts';
import { ACCOUNT } from '../office/stage.ts';

const USED_UP = '403 rateLimitExceeded';
const OF_USER = "quota metric 'Queries' and limit 'Queries per minute per user' of service";
const OF_PROJECT = "quota metric 'Queries' and limit 'Queries per minute' of service";
const EXHAUSTED = '429 RESOURCE_EXHAUSTED';
const MINUTE_MS = 60_000;
const OTHER = 'room-2@clinic.example';

needing('quotas', '[quotas.1] the call beyond the minute is refused', {
  options: { quotas: { calendarPerMinutePerUser: 2 } },
  run: async (stage) => {
    for (const _ of [1, 2]) expect((await stage.list()).status).toBe(200);
    const refused = await stage.list();
    expect([verdict(refused), refused.body.error.errors[0].domain]).toEqual([USED_UP, 'usageLimits']);
    expect([refused.body.error.status, refused.body.error.message]).toEqual([
      'PERMISSION_DENIED',
      expect.stringContaining(OF_USER),
    ]);
  },
});

needing('quotas', '[quotas.2] the same refusal comes as 429, too', {
  options: { quotas: { calendarPerMinutePerUser: 1 }, switches: { quotaForm: '429' } },
  run: async (stage) => {
    await stage.list();
    expect(verdict(await stage.list())).toBe('429 rateLimitExceeded');
  },
});

needing('quotas', '[quotas.3] a call of a minute ago counts no more', {
  options: { quotas: { calendarPerMinutePerUser: 2 } },
  run: async (stage) => {
    await stage.list();
    await stage.advance(MINUTE_MS / 2);
    await stage.list();
    await stage.advance(MINUTE_MS / 2 + 1);
    expect((await stage.list()).status).toBe(200);
    expect(verdict(await stage.list())).toBe(USED_UP);
  },
});

needing('quotas', '[quotas.4] quotaUser has a count of its own', {
  options: { quotas: { calendarPerMinutePerUser: 1 } },
  run: async (stage) => {
    await stage.list();
    expect(verdict(await stage.list())).toBe(USED_UP);
    expect((await stage.list({ quotaUser: 'branch-2' })).status).toBe(200);
  },
});

needing('quotas', '[quotas.5] Sheets names the quota that is used up', {
  options: { quotas: { sheetsReadsPerMinutePerUser: 1 } },
  run: async (stage) => {
    await stage.sheets('GET');
    const refused = await stage.sheets('GET');
    expect(verdict(refused)).toBe(EXHAUSTED);
    expect(refused.body.error.message).toContain("'Read requests per minute per user'");
    expect(refused.body.error.details[0]).toMatchObject({
      '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
      reason: 'RATE_LIMIT_EXCEEDED',
      metadata: { quota_limit_value: '1', quota_limit: 'ReadRequestsPerMinutePerUser' },
    });
  },
});

needing('quotas', '[quotas.6] who has read enough may still write', {
  options: { quotas: { sheetsReadsPerMinutePerUser: 1, sheetsWritesPerMinutePerUser: 1 } },
  run: async (stage) => {
    await stage.sheets('GET');
    expect(verdict(await stage.sheets('GET'))).toBe(EXHAUSTED);
    expect((await stage.batch({ addSheet: {} })).status).toBe(200);
    expect(verdict(await stage.batch({ addSheet: {} }))).toBe(EXHAUSTED);
  },
});

needing('quotas', '[quotas.7] the next minute has a quota of its own', {
  options: { quotas: { sheetsReadsPerMinutePerUser: 1 } },
  run: async (stage) => {
    await stage.sheets('GET');
    expect(verdict(await stage.sheets('GET'))).toBe(EXHAUSTED);
    await stage.advance(MINUTE_MS);
    expect((await stage.sheets('GET')).status).toBe(200);
  },
});

needing('quotas', '[quotas.8] a write that fails has counted', {
  options: { quotas: { sheetsWritesPerMinutePerUser: 1 } },
  run: async (stage) => {
    expect(verdict(await stage.batch({ deleteSheet: { sheetId: 999 } }))).toBe('400 INVALID_ARGUMENT');
    expect(verdict(await stage.batch({ addSheet: {} }))).toBe(EXHAUSTED);
  },
});

needing('quotas', '[quotas.9] ten ranges are one read', {
  options: { quotas: { sheetsReadsPerMinutePerUser: 1 } },
  run: async (stage) => {
    const ranges = Array.from({ length: 10 }, (_, i) => `A${i + 1}`);
    expect((await stage.sheets('GET', '/values:batchGet', { query: { ranges } })).status).toBe(200);
    expect(verdict(await stage.sheets('GET'))).toBe(EXHAUSTED);
  },
});

needing('quotas', '[quotas.10] no refusal says how long to wait', {
  options: { quotas: { calendarPerMinutePerUser: 1, sheetsReadsPerMinutePerUser: 1 } },
  run: async (stage) => {
    await stage.list();
    await stage.sheets('GET');
    for (const refused of [await stage.list(), await stage.sheets('GET')]) {
      expect([403, 429]).toContain(refused.status);
      expect(refused.headers.get('retry-after')).toBeNull();
    }
  },
});

needing('faults', '[quotas.11] limits of use have another reason', async (stage) => {
  await stage.spoil({ path: '/events', trouble: 'calendarUsageLimits' });
  expect(verdict(await stage.insert())).toBe('403 quotaExceeded');
});

needing('quotas', '[quotas.12] the project’s minute is another one', {
  options: { quotas: { calendarPerMinutePerUser: 10, calendarPerMinutePerProject: 1 } },
  run: async (stage) => {
    await stage.list();
    const refused = await stage.list();
    expect([verdict(refused), refused.body.error.status]).toEqual([USED_UP, 'PERMISSION_DENIED']);
    expect(refused.body.error.message).toContain(OF_PROJECT);
  },
});

needing('quotas', '[quotas.13] one calendar has had enough, and another one not', {
  options: { quotas: { calendarWritesPerMinutePerCalendar: 1 } },
  run: async (stage) => {
    await stage.control('POST', 'calendars', { id: OTHER, shareWith: [ACCOUNT] });
    await stage.made();
    const refused = await stage.insert();
    expect([verdict(refused), refused.body.error.status]).toEqual([USED_UP, undefined]);
    const path = `/calendars/${encodeURIComponent(OTHER)}/events`;
    expect((await stage.api.calendar('POST', path, { body: stage.eventBody() })).status).toBe(200);
    expect((await stage.list()).status).toBe(200);
    await stage.advance(MINUTE_MS + 1);
    expect((await stage.insert()).status).toBe(200);
  },
});

needing('quotas', '[quotas.14] the guide’s form names the user in the reason', {
  options: { quotas: { calendarPerMinutePerUser: 1 }, switches: { quotaForm: 'guide' } },
  run: async (stage) => {
    await stage.list();
    expect(verdict(await stage.list())).toBe('403 userRateLimitExceeded');
  },
});
