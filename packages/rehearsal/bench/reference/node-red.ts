// Node-RED as a reference: flows written by hand, as its documentation shows them. The webhook is answered, the event is looked up, then
// written. No retry, because its core has none. It and the Node that it needs come from the package registry.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

export const NODE_RED = 'Node-RED 5.0.7';
const NODE = `node-linux-${process.arch}`;
const PACKAGES = ['node-red@5.0.7', `${NODE}@24.21.0`];
const LOOK_EVERY_MS = 250;
const OPEN_WITHIN_MS = 300_000;

/** Where its flow writes. */
export interface NodeRedPlaces {
  readonly googleUrl: string;
  readonly accessToken: string;
  /** Resource id to calendar id. */
  readonly calendars: Readonly<Record<string, string>>;
}

/** Installs it into a folder of its own. */
export function installNodeRed(folder: string): void {
  // The Node of this program is older than Node-RED wants, and `npm run` hands down that this folder insists on it.
  const options = ['--no-audit', '--no-fund', '--loglevel=error', '--engine-strict=false'];
  // Its progress must not mix with the figures on standard output.
  execFileSync('npm', ['install', ...options, '--prefix', folder, ...PACKAGES], { stdio: ['ignore', 2, 2] });
}

/** Starts what `installNodeRed` installed, and resolves when it answers. Its webhook address is `/webhooks/platform`. */
export async function startNodeRed(
  folder: string,
  { port, ...places }: NodeRedPlaces & { readonly port: number },
): Promise<ChildProcess> {
  const settings = join(folder, 'settings.js');
  writeFileSync(settings, 'module.exports = { httpAdminRoot: false };\n');
  writeFileSync(join(folder, 'flows.json'), JSON.stringify(flowOf(places)));
  const child = spawn(
    join(folder, 'node_modules', NODE, 'bin/node'),
    [
      join(folder, 'node_modules/node-red/red.js'),
      ...['--userDir', folder, '--settings', settings, '--port', String(port), 'flows.json'],
    ],
    { cwd: folder, stdio: 'ignore' },
  );
  for (const until = performance.now() + OPEN_WITHIN_MS; ; await sleep(LOOK_EVERY_MS)) {
    const isOpen = await fetch(`http://127.0.0.1:${port}/`).then(
      () => true,
      () => false,
    );
    if (isOpen) return child;
    if (child.exitCode !== null || performance.now() > until) throw new Error('Node-RED does not answer');
  }
}

function flowOf({ googleUrl, accessToken, calendars }: NodeRedPlaces): readonly object[] {
  const root = JSON.stringify(`${googleUrl}/calendar/v3/calendars/`);
  const headers = JSON.stringify({ authorization: `Bearer ${accessToken}` });
  const look = `
const told = msg.payload.data && msg.payload.data.object;
if (!told || told.object !== 'appointment') return null;
const calendar = ${JSON.stringify(calendars)}[told.resource_id];
if (!calendar) return null;
msg.told = told;
msg.events = ${root} + encodeURIComponent(calendar) + '/events';
msg.eventId = 'nr' + told.id.replaceAll('-', '');
msg.method = 'GET';
msg.headers = ${headers};
msg.url = msg.events + '/' + msg.eventId;
delete msg.payload;
return msg;`;
  const decide = `
const { told, events, eventId } = msg;
if (msg.statusCode !== 200 && msg.statusCode !== 404) { node.error('lookup refused', msg); return null; }
const found = msg.statusCode === 200 && msg.payload.status !== 'cancelled';
msg.headers = { ...${headers}, 'content-type': 'application/json' };
msg.url = events + (found ? '/' + eventId : '');
if (told.status === 'cancelled') {
  if (!found) return null;
  msg.method = 'DELETE';
  delete msg.payload;
  return msg;
}
msg.method = found ? 'PATCH' : 'POST';
msg.payload = { id: eventId, summary: told.service_name + ', ' + told.customer_name, description: told.customer_phone, start: { dateTime: told.starts_at }, end: { dateTime: told.ends_at } };
return msg;`;
  const request = { type: 'http request', z: 'tab', method: 'use', ret: 'obj', url: '' };
  return [
    { id: 'tab', type: 'tab', label: 'calendar' },
    {
      ...{ id: 'in', type: 'http in', z: 'tab', url: '/webhooks/platform', method: 'post' },
      wires: [['ok', 'look']],
    },
    { id: 'ok', type: 'http response', z: 'tab', statusCode: '200', wires: [] },
    { id: 'look', type: 'function', z: 'tab', func: look, outputs: 1, wires: [['get']] },
    { id: 'get', ...request, wires: [['decide']] },
    { id: 'decide', type: 'function', z: 'tab', func: decide, outputs: 1, wires: [['write']] },
    { id: 'write', ...request, wires: [[]] },
  ];
}
