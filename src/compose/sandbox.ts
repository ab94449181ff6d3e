import { TerminalError } from '../domain/errors.ts';
import { type Addresses, readAddresses } from '../sandbox/addresses.ts';
import { STAND, startStand } from '../sandbox/stand.ts';
import { book, look } from '../sandbox/visitor.ts';

/** Starts both sandboxes and says how to go on. */
export async function startSandbox(options: {
  platformPort: number;
  googlePort: number;
  pagePort?: number;
  dataDir: string;
  workerPort: number;
}) {
  const stand = await startStand(options);
  const platform = stand.platform.url;
  const control = new URL('/_sandbox', platform).href;
  const text = `The platform  ${platform}   (Authorization: Bearer ${STAND.apiKey})
Google        ${stand.google.url}
Key file      ${stand.keyFile}

Watch and play in a browser: ${stand.pageUrl}

In another terminal:
  slotbridge init --sandbox --yes --calendar "Anna Petrova=${STAND.calendars['Anna Petrova']}"
  slotbridge start

Once that worker runs, its web console: http://127.0.0.1:${options.workerPort}/console
This prints a link that signs you in:
  slotbridge console login --as ops

In a third one, as a customer, and to look at what stands in Google:
  slotbridge sandbox --book
  slotbridge sandbox --show

Or with curl:
  curl -s ${platform}/appointments -H 'Authorization: Bearer ${STAND.apiKey}' \\
    -H 'Content-Type: application/json' -H "Idempotency-Key: try-$(date +%s)" \\
    -d '{"service_id":"${stand.serviceId}","starts_at":"'$(date -u -d '+1 day' +%Y-%m-%dT%H:00:00Z)'","customer_name":"Vera Orlova","customer_phone":"+74950001101"}'
  curl -s ${stand.google.url}/_sandbox/truth/calendars/${STAND.calendars['Anna Petrova']}/events

What happened so far: ${control}/stats. Ctrl-C ends both.`;
  return { text, close: () => stand.close() };
}

/** Books in the sandbox that runs with this folder, as a customer would. */
export async function bookInSandbox(dataDir: string): Promise<string> {
  return atSandbox(dataDir, (addresses) =>
    book({ addresses, apiKey: STAND.apiKey, service: STAND.service, timeZone: STAND.zone }),
  );
}

/** What stands in its calendars and tabs. */
export async function showSandbox(dataDir: string): Promise<string> {
  return atSandbox(dataDir, look);
}

async function atSandbox(dataDir: string, act: (addresses: Addresses) => Promise<string>): Promise<string> {
  const addresses = readAddresses(dataDir);
  if (addresses === undefined) throw notRunning();
  try {
    return await act(addresses);
  } catch (cause) {
    // What fetch throws when nobody listens there any more.
    if (cause instanceof TypeError) throw notRunning(cause);
    throw cause;
  }
}

function notRunning(cause?: unknown): TerminalError {
  return new TerminalError('sandbox-not-running', 'no sandbox runs here', {
    advice: 'Run `slotbridge sandbox` in another terminal, in the same folder, and leave it running.',
    cause,
  });
}
