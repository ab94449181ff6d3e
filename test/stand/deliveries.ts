import { createHmac } from 'node:crypto';
import type { World } from './world.ts';

/** The newest events of the feed, as the platform shows them to the key. */
export async function fedEvents(world: World, limit = 100): Promise<readonly object[]> {
  const answer = await fetch(`${world.platform.url}/events?limit=${limit}`, {
    headers: { authorization: `Bearer ${world.apiKey}` },
  });
  if (!answer.ok) throw new Error(`the feed answers ${answer.status}`);
  return ((await answer.json()) as { data: object[] }).data;
}

/** Delivers an event to the worker, signed as the platform signs (`timestamped`). */
export function deliverEvent(world: World, workerUrl: string, event: unknown): Promise<Response> {
  const body = JSON.stringify(event);
  const seconds = Math.floor(world.platform.clock.now() / 1_000);
  const signature = createHmac('sha256', world.secret()).update(`${seconds}.${body}`).digest('hex');
  return fetch(`${workerUrl}/webhooks/platform`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'service-signature': `t=${seconds},v1=${signature}` },
    body,
  });
}
