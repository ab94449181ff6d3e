import { STAND, startStand } from '../sandbox/stand.ts';

/** Starts both sandboxes and says how to look around. */
export async function startSandbox(options: { platformPort: number; googlePort: number; dataDir: string }) {
  const stand = await startStand(options);
  const platform = stand.platform.url;
  const control = new URL('/_sandbox', platform).href;
  const text = `The platform  ${platform}   (Authorization: Bearer ${STAND.apiKey})
Google        ${stand.google.url}
Key file      ${stand.keyFile}

In another terminal (register once, so that the sandbox sends its webhooks):
  slotbridge webhook register --config config/slotbridge.example.yaml
  slotbridge start --config config/slotbridge.example.yaml

Make a booking for tomorrow, and look at Anna's calendar:
  curl -s ${platform}/appointments -H 'Authorization: Bearer ${STAND.apiKey}' \\
    -H 'Content-Type: application/json' -H "Idempotency-Key: try-$(date +%s)" \\
    -d '{"service_id":"${stand.serviceId}","starts_at":"'$(date -u -d '+1 day' +%Y-%m-%dT%H:00:00Z)'","customer_name":"Vera Orlova","customer_phone":"+74950001101"}'
  curl -s ${stand.google.url}/_sandbox/truth/calendars/${STAND.calendars['Anna Petrova']}/events

What happened so far: ${control}/stats. Ctrl-C ends both.`;
  return { text, close: () => stand.close() };
}
