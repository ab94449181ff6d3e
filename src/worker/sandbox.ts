import { type Addresses, readAddresses } from '@slotbridge/sandbox/addresses';
import { STAND, startStand } from '@slotbridge/sandbox/stand';
import { book, look } from '@slotbridge/sandbox/visitor';
import type { RunningSandbox } from '../cli/sandbox-text.ts';
import { TerminalError } from '../engine/domain/errors.ts';

/** Starts both sandboxes and returns their addresses. */
export async function startSandbox(options: Parameters<typeof startStand>[0]) {
  const { platform, google, keyFile, pageUrl, serviceId, close } = await startStand(options);
  const { apiKey, calendars } = STAND;
  const running: RunningSandbox = {
    ...{ platformUrl: platform.url, apiKey, googleUrl: google.url, keyFile, pageUrl, serviceId },
    calendarId: calendars['Anna Petrova'],
  };
  return { running, close };
}

/** Books in the sandbox that runs in this folder, as a customer would. */
export async function bookInSandbox(dataDir: string): Promise<string> {
  return atSandbox(dataDir, (addresses) =>
    book({ addresses, apiKey: STAND.apiKey, service: STAND.service, timeZone: STAND.zone }),
  );
}

/** Shows what its calendars and tabs hold. */
export async function showSandbox(dataDir: string): Promise<string> {
  return atSandbox(dataDir, look);
}

async function atSandbox(dataDir: string, act: (addresses: Addresses) => Promise<string>): Promise<string> {
  const addresses = readAddresses(dataDir);
  if (addresses === undefined) throw notRunning();
  try {
    return await act(addresses);
  } catch (cause) {
    // When nothing listens there, fetch throws a TypeError that has a cause. A defect's TypeError has none.
    if (cause instanceof TypeError && cause.cause !== undefined) throw notRunning(cause);
    throw cause;
  }
}

function notRunning(cause?: unknown): TerminalError {
  return new TerminalError('sandbox-not-running', 'no sandbox runs here', {
    advice: 'Run `slotbridge sandbox` in another terminal, in the same folder, and leave it running.',
    cause,
  });
}
