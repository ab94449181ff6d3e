import { expect, test } from 'vitest';
import { sandboxText } from '../../src/cli/sandbox-text.ts';

test('whoever starts the sandbox reads where everything runs, and commands that reach it', () => {
  const running = {
    ...{ platformUrl: 'http://127.0.0.1:4011/v1', apiKey: 'k', googleUrl: 'http://127.0.0.1:4021' },
    ...{ keyFile: 'data/key.json', pageUrl: 'http://127.0.0.1:4031', serviceId: 's1', calendarId: 'anna@x' },
  };
  const text = sandboxText(running, { workerPort: 8081, data: '/tmp/other' });
  for (const said of [
    'The platform  http://127.0.0.1:4011/v1   (Authorization: Bearer k)',
    'Key file      data/key.json',
    'Watch and play in a browser: http://127.0.0.1:4031\n',
    '--calendar "Anna Petrova=anna@x"',
    'its web console: http://127.0.0.1:8081/console',
    'sandbox --book --data /tmp/other\n',
    '"service_id":"s1"',
    'curl -s http://127.0.0.1:4021/_sandbox/truth/calendars/anna@x/events',
    'What happened so far: http://127.0.0.1:4011/_sandbox/stats.',
  ])
    expect(text).toContain(said);
});
