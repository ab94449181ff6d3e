import { describe, expect, it } from 'vitest';
import { compileCondition } from '../../../../src/mapping/filter-condition.ts';
import { loadConfig } from '../../../../src/mapping/load.ts';
import { checkTemplate } from '../../../../src/mapping/render-check.ts';
import { type MappingNames, mappingYaml } from '../../demo/mapping.ts';

const PROJECT = '6a1c7a58-6e0c-4d0a-9a39-0d5b3f6f2f11';

describe('the mapping of the demo', () => {
  const env = {
    PLATFORM_BASE_URL: 'http://127.0.0.1:4010/v1',
    PLATFORM_API_KEY: 'key',
    PLATFORM_WEBHOOK_SECRET: 'whsec_of-the-demo-endpoint',
    GOOGLE_APPLICATION_CREDENTIALS: '/tmp/key.json',
    GOOGLE_OFFICE_CREDENTIALS: '/tmp/office-key.json',
    REDIS_URL: 'unix:///tmp/redis.sock',
  };
  const names: MappingNames = {
    projectId: PROJECT,
    bookable: ['one@calendar.example'],
    calendars: new Map([
      ['O\'Neill: "Zoë" # 1', 'one@calendar.example'],
      [PROJECT, 'two@calendar.example'],
    ]),
    teams: new Map([['Massage', 'team@calendar.example']]),
    privateCalendars: new Map([['O\'Neill: "Zoë" # 1', 'private@calendar.example']]),
    course: 'Yoga: "advanced"',
    kept: 'Advice: "short"',
    fed: 'O\'Neill: "Zoë" # 1',
    spreadsheetId: 'demo-office',
    port: 8099,
    googleUrl: 'http://127.0.0.1:4020',
  };
  const text = mappingYaml(names);

  it('is one that the worker takes, whatever people are called', () => {
    const config = loadConfig({ text, path: 'demo.yaml' }, env, { checkTemplate, compileCondition });
    const [calendars] = config.mirrors;
    expect(calendars?.kind === 'calendar' && calendars.calendars).toEqual([
      { resource: 'O\'Neill: "Zoë" # 1', calendarId: 'one@calendar.example' },
      { resource: PROJECT, calendarId: 'two@calendar.example' },
      { service: 'Massage', calendarId: 'team@calendar.example' },
    ]);
    expect(config.google.quotas).toMatchObject({ sheetsReadsPerMinute: 60, sheetsWritesPerMinute: 60 });
  });

  it('names the calendar on a CalDAV server by its account, and no other', () => {
    const own = 'http://127.0.0.1:4030/anna/work/';
    const caldav = { calendarId: own, url: 'http://127.0.0.1:4030/', user: 'anna' };
    const calendars = new Map([...names.calendars, ['Vera', own]]);
    const config = loadConfig(
      { text: mappingYaml({ ...names, calendars, caldav }), path: 'demo.yaml' },
      { ...env, CALDAV_PASSWORD: 'password' },
      { checkTemplate, compileCondition },
    );
    expect(config.caldav.accounts).toMatchObject({ 'own-server': { user: 'anna', password: 'password' } });
    const [mirror] = config.mirrors;
    expect(mirror?.kind === 'calendar' && mirror.calendars).toContainEqual({
      ...{ resource: 'Vera', calendarId: own, account: 'own-server' },
    });
    expect(
      loadConfig({ text, path: 'demo.yaml' }, env, { checkTemplate, compileCondition }).caldav.accounts,
    ).toEqual({});
  });

  it('holds no secret', () => {
    for (const secret of ['whsec_', 'sk_']) expect(text).not.toContain(secret);
  });
});
