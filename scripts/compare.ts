// `npm run compare`: the same short day for slotbridge and for Node-RED, against the sandboxes. 20 appointments are booked, moved and partly
// cancelled while 20 % of the webhooks are lost, 20 % doubled, all shuffled, and a tenth of Google's answers refuse for its rate limit.
// Installs Node-RED, and a Node that runs it, into a temporary folder. No CI runs it; docs/compared.md has the method of the longer comparison.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { installNodeRed, startNodeRed } from '@slotbridge/rehearsal/bench/reference/node-red';
import { ownPort } from '@slotbridge/rehearsal/demo/own-port';
import { STAND, type Stand, startStand } from '@slotbridge/sandbox/stand';

const MAIN = fileURLToPath(new URL('../dist/main.js', import.meta.url));
const CALENDAR = STAND.calendars['Anna Petrova'];
const APPOINTMENTS = 20;
const CANCELLED = 4;
const HOUR_MS = 3_600_000;
/** Pause between two changes, and the quiet after which nobody writes any more. */
const CHANGE_EVERY_MS = 250;
const QUIET_MS = 5_000;
const SETTLED_WITHIN_MS = 300_000;
const REFUSAL = JSON.stringify({
  error: {
    code: 403,
    message: 'Rate Limit Exceeded',
    errors: [{ domain: 'usageLimits', reason: 'rateLimitExceeded' }],
  },
});

interface Tool {
  readonly name: string;
  /** Before the id of an appointment without its hyphens. */
  readonly prefix: string;
  start(
    stand: Stand,
    about: { readonly dir: string; readonly port: number; readonly secret: string },
  ): Promise<ChildProcess>;
  /** Resolves when it has nothing to do. */
  untilDone(stand: Stand, dir: string): Promise<void>;
}

const slotbridge: Tool = {
  name: 'slotbridge',
  prefix: 'sb',
  async start(stand, { dir, port, secret }) {
    writeFileSync(
      join(dir, 'slotbridge.yaml'),
      `platform:
  base_url: ${stand.platform.url}
  api_key: ${STAND.apiKey}
  webhook: { public_url: "http://127.0.0.1:${port}", secrets: ["${secret}"] }
google:
  credentials: ${stand.keyFile}
  calendar_root_url: ${stand.google.url}/
  sheets_root_url: ${stand.google.url}/
  token_url: ${stand.google.tokenUrl}
redis: { data_dir: ${join(dir, 'redis')} }
http: { port: ${port} }
mirrors:
  staff:
    from: appointments
    calendars: { map: { "Anna Petrova": ${CALENDAR} } }
    event: { title: "{{ service_name }}, {{ customer_name }}" }
`,
    );
    return spawn(process.execPath, [MAIN, 'start', '--config', join(dir, 'slotbridge.yaml')], {
      stdio: 'ignore',
    });
  },
  async untilDone(_, dir) {
    // The feed, which brings what was lost, is read once a minute.
    await sleep(65_000);
    execFileSync(
      process.execPath,
      [MAIN, 'status', '--wait', '5m', '--config', join(dir, 'slotbridge.yaml')],
      {
        stdio: ['ignore', 'ignore', 'inherit'],
      },
    );
  },
};

const nodeRed: Tool = {
  name: 'Node-RED',
  prefix: 'nr',
  async start(stand, { dir, port }) {
    installNodeRed(dir);
    const calendars = { [await idOfAnna(stand)]: CALENDAR };
    const { url: googleUrl } = stand.google;
    return startNodeRed(dir, { port, calendars, googleUrl, accessToken: stand.google.accessToken() });
  },
  async untilDone(stand) {
    for (let [calls, before] = [stand.google.stats().calls, -1]; calls !== before; ) {
      await sleep(QUIET_MS);
      [before, calls] = [calls, stand.google.stats().calls];
    }
  },
};

async function idOfAnna({ platform }: Stand): Promise<string> {
  const headers = { authorization: `Bearer ${STAND.apiKey}` };
  const answer = await fetch(`${platform.url}/resources?limit=100`, { headers });
  const { data } = (await answer.json()) as { data: readonly { id: string; name: string }[] };
  return data.find(({ name }) => name === 'Anna Petrova')?.id ?? '';
}

for (const tool of [nodeRed, slotbridge])
  console.log(JSON.stringify({ tool: tool.name, ...(await dayOf(tool)) }));

async function dayOf(tool: Tool): Promise<object> {
  const dir = mkdtempSync(join(tmpdir(), 'compare-'));
  const port = await ownPort();
  const stand = await startStand({ platformPort: 0, googlePort: 0, pagePort: 0, dataDir: dir });
  let child: ChildProcess | undefined;
  try {
    const secret = await subscribe(stand, port);
    child = await tool.start(stand, { dir, port, secret });
    await untilOpen(port);
    stand.platform.delivery = {
      ...stand.platform.delivery,
      loseShare: 0.2,
      doubleShare: 0.2,
      delayMs: [0, 5_000],
    };
    const refused = { kind: 'status', status: 403, body: REFUSAL, contentType: 'application/json' } as const;
    stand.google.faults.add({ path: /\/events/, share: 0.1, fault: refused });
    await changeAll(stand);
    await stand.platform.whenDeliveriesSettle(SETTLED_WITHIN_MS);
    await tool.untilDone(stand, dir);
    return judged(stand, tool.prefix);
  } finally {
    child?.kill('SIGTERM');
    await sleep(QUIET_MS);
    child?.kill('SIGKILL');
    await stand.close();
    rmSync(dir, { recursive: true, force: true, maxRetries: 3 });
  }
}

async function subscribe({ platform }: Stand, port: number): Promise<string> {
  const answer = await fetch(`${platform.url}/webhook_endpoints`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${STAND.apiKey}`,
      'content-type': 'application/json',
      'idempotency-key': 'compare',
    },
    body: JSON.stringify({ url: `http://127.0.0.1:${port}/webhooks/platform`, enabled_events: ['*'] }),
  });
  return ((await answer.json()) as { secret: string }).secret;
}

/** Until the tool answers anything. */
async function untilOpen(port: number): Promise<void> {
  for (;;) {
    const isOpen = await fetch(`http://127.0.0.1:${port}/`).then(
      () => true,
      () => false,
    );
    await sleep(QUIET_MS);
    if (isOpen) return;
  }
}

async function changeAll({ platform: { dashboard }, serviceId }: Stand): Promise<void> {
  const firstMs = Math.ceil(Date.now() / HOUR_MS) * HOUR_MS + 24 * HOUR_MS;
  const at = (hours: number) => new Date(firstMs + hours * HOUR_MS).toISOString();
  const ids: string[] = [];
  for (let nth = 0; nth < APPOINTMENTS; nth += 1) {
    ids.push(
      dashboard.bookAs('lk', {
        serviceId,
        startsAt: at(nth),
        customerName: 'Vera Orlova',
        customerPhone: '+74950001101',
      }),
    );
    await sleep(CHANGE_EVERY_MS);
  }
  for (const [nth, id] of ids.entries()) {
    dashboard.reschedule(id, { startsAt: at(APPOINTMENTS + nth) });
    await sleep(CHANGE_EVERY_MS);
  }
  for (const id of ids.slice(0, CANCELLED)) {
    dashboard.cancel(id);
    await sleep(CHANGE_EVERY_MS);
  }
}

function judged({ platform, google }: Stand, prefix: string): object {
  const events = new Map(google.truth.events(CALENDAR).map((event) => [String(event['id']), event]));
  let [missing, stale, leftOver] = [0, 0, 0];
  for (const { id, status, starts_at } of platform.truth.appointments()) {
    const event = events.get(`${prefix}${String(id).replaceAll('-', '')}`);
    const start = (event?.['start'] as { dateTime?: string } | undefined)?.dateTime ?? '';
    if (status === 'cancelled') leftOver += event === undefined ? 0 : 1;
    else if (event === undefined) missing += 1;
    else if (Date.parse(start) !== Date.parse(String(starts_at))) stale += 1;
  }
  return { appointments: APPOINTMENTS, missing, stale, leftOver, calls: google.stats().calls };
}
