import Fastify from 'fastify';
import { expect, test } from 'vitest';
import { pingRoute } from '../../src/calendar/calendar-watch.ts';
import type { Channel } from '../../src/calendar/stores.ts';
import { NO_METER, SILENT_LOG } from '../stand/store.ts';

test.each([undefined, '', 'application/json', 'application/json,application/json', 'json', 'rubbish;;'])(
  "a ping of Google with the content type %s wakes its calendar's sync",
  async (type) => {
    const woken: string[] = [];
    const channel: Channel = {
      id: 'c',
      token: 't',
      calendarId: 'anna',
      address: 'https://bridge',
      resourceId: 'r',
      requestedAtMs: 0,
      expiresAtMs: 2e12,
    };
    const app = Fastify({ forceCloseConnections: true });
    await app.register(
      pingRoute({
        channels: { get: async () => channel, confirm: async () => undefined },
        cursors: { pinged: async () => 1 },
        wake: (calendar) => void woken.push(calendar),
        onStranger: () => undefined,
        ...{ clock: { now: () => 0 }, log: SILENT_LOG, meter: NO_METER },
      }),
    );
    const url = await app.listen({ host: '127.0.0.1', port: 0 });
    const headers = {
      'x-goog-channel-id': 'c',
      'x-goog-channel-token': 't',
      'x-goog-resource-id': 'r',
      'x-goog-resource-state': 'exists',
      ...(type === undefined ? {} : { 'content-type': type }),
    };
    try {
      const answer = await fetch(`${url}/webhooks/google`, {
        method: 'POST',
        body: Buffer.from('{}'),
        headers,
      });
      expect(answer.status).toBe(204);
      expect(woken).toEqual(['anna']);
    } finally {
      await app.close();
    }
  },
);
