// The reference for the worker: the integration as it is usually written. Each webhook becomes a job; each job reads the event,
// then inserts, updates or deletes it. It does no work beside the point: it verifies no signature, requests no token, keeps no
// state and never fails.
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { type ConnectionOptions, Queue, Worker } from 'bullmq';
import { calendar, type calendar_v3, auth as library } from 'googleapis/build/src/apis/calendar/index.js';
import { openRedis } from '../../../../src/engine/redis-client.ts';

interface Setting {
  readonly redisUrl: string;
  readonly googleUrl: string;
  readonly accessToken: string;
  readonly concurrency: number;
  /** Resource id to calendar id. */
  readonly calendars: Readonly<Record<string, string>>;
}

/** A webhook body about an appointment (platform API, Event and Appointment). */
interface Told {
  readonly type: string;
  readonly data: { readonly object: Appointment };
}

interface Appointment {
  readonly id: string;
  readonly status: string;
  readonly resource_id: string;
  readonly service_name: string;
  readonly customer_name: string;
  readonly customer_phone: string;
  readonly starts_at: string;
  readonly ends_at: string;
}

const setting = JSON.parse(process.env['BENCH_REFERENCE'] ?? '') as Setting;
const connection = () => openRedis(setting.redisUrl, 'queue') as ConnectionOptions;
const credential = new library.OAuth2();
credential.setCredentials({ access_token: setting.accessToken });
const { events } = calendar({ version: 'v3', auth: credential, rootUrl: `${setting.googleUrl}/` });
const queue = new Queue('reference', { connection: connection() });
let done = 0;
let failure: string | undefined;

const worker = new Worker<Told>(
  'reference',
  async (job) => {
    await handle(job.data);
    done += 1;
  },
  { connection: connection(), concurrency: setting.concurrency },
);
worker.on('failed', (_, error) => {
  failure = error.message;
});
const server = createServer(async (request, response) => {
  if (request.method === 'GET') {
    response.end(JSON.stringify({ done, failure }));
    return;
  }
  await queue.add('event', JSON.parse(await text(request)), { removeOnComplete: true });
  response.end();
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (typeof address === 'object') process.send?.({ port: address?.port });
});
// The bench has ended.
process.on('disconnect', () => process.exit());
process.on('message', async () => {
  server.close();
  await worker.close();
  process.exit();
});

async function handle(told: Told): Promise<void> {
  if (!told.type.startsWith('appointment.')) return;
  const appointment = told.data.object;
  const calendarId = setting.calendars[appointment.resource_id];
  if (calendarId === undefined) return;
  const eventId = `ref${appointment.id.replaceAll('-', '')}`;
  const found = await read(calendarId, eventId);
  if (appointment.status === 'cancelled') {
    if (found !== undefined) await unless(410, events.delete({ calendarId, eventId, sendUpdates: 'none' }));
    return;
  }
  // Two jobs of one appointment may run concurrently. Without the sequence, the later update wins instead of failing.
  const { sequence: _, ...kept } = found ?? {};
  const requestBody: calendar_v3.Schema$Event = {
    ...kept,
    id: eventId,
    status: 'confirmed',
    summary: `${appointment.service_name}, ${appointment.customer_name}`,
    description: appointment.customer_phone,
    start: { dateTime: appointment.starts_at },
    end: { dateTime: appointment.ends_at },
  };
  // Two jobs of one appointment may run concurrently, and the other may have inserted the event meanwhile.
  const isTaken =
    found === undefined &&
    (await unless(409, events.insert({ calendarId, requestBody, sendUpdates: 'none' }))) === undefined;
  if (found !== undefined || isTaken)
    await events.update({ calendarId, eventId, requestBody, sendUpdates: 'none' });
}

async function read(calendarId: string, eventId: string): Promise<calendar_v3.Schema$Event | undefined> {
  return (await unless(404, events.get({ calendarId, eventId })))?.data;
}

/** Undefined when Google answers with this status. */
async function unless<T>(status: number, request: Promise<T>): Promise<T | undefined> {
  try {
    return await request;
  } catch (error) {
    if ((error as { status?: number }).status === status) return undefined;
    throw error;
  }
}
