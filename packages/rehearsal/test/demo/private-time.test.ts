import { describe, expect, it } from 'vitest';
import { HOUSE } from '../../demo/judge/company.ts';
import { judgePrivateTime } from '../../demo/private-time/judge.ts';

const LIFE = { resourceId: 'anna', calendarId: 'private', zone: 'UTC' };
const at = (time: string) => `2026-12-01T${time}:00Z`;
const event = (from: string, to: string) => ({ start: { dateTime: at(from) }, end: { dateTime: at(to) } });
const booked = (from: string, to: string, about: object = {}) => ({
  ...{ resource_ids: ['anna'], status: 'confirmed', starts_at: at(from), ends_at: at(to), contact_id: HOUSE },
  ...about,
});
const CUSTOMER = { contact_id: 'somebody' };

function judge(appointments: readonly object[], events: readonly object[]) {
  const { expected, found, wrong } = judgePrivateTime([LIFE], {
    appointments: appointments as readonly Record<string, unknown>[],
    events: () => events as readonly Record<string, unknown>[],
  });
  return { expected, found, wrong: wrong.map((line) => line.replace(/^.*Z: /, '')) };
}

describe('the judge of private time', () => {
  it('counts quarters of an hour, however events overlap and blocks are split', () => {
    const events = [event('06:00', '07:00'), event('06:30', '07:15')];
    const blocks = [booked('06:00', '06:45'), booked('06:45', '07:15')];
    expect(judge(blocks, events)).toEqual({ expected: 5, found: 5, wrong: [] });
  });

  it('tells what is not blocked, blocked twice, and blocked for nobody', () => {
    const blocks = [booked('06:00', '06:30'), booked('06:15', '06:30'), booked('09:00', '09:15')];
    expect(judge(blocks, [event('06:00', '06:45')])).toEqual({
      expected: 3,
      found: 1,
      wrong: ['blocked 2 times', 'not blocked', 'blocked, and nobody is busy'],
    });
  });

  it('leaves aside what a customer took, and the buffer beside it', () => {
    const appointments = [booked('06:30', '07:00', CUSTOMER), booked('06:00', '06:15')];
    expect(judge(appointments, [event('06:00', '07:15')])).toEqual({ expected: 1, found: 1, wrong: [] });
  });

  it('takes no cancelled block and nobody else’s for one', () => {
    const others = [
      booked('06:00', '06:15', { status: 'cancelled' }),
      booked('06:00', '06:15', { resource_ids: ['boris'] }),
    ];
    expect(judge(others, [event('06:00', '06:15')])).toEqual({
      expected: 1,
      found: 0,
      wrong: ['not blocked'],
    });
  });
});
