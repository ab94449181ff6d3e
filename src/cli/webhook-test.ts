import type { Command } from 'commander';
import type { Config } from '../config/config.ts';
import type { TestedDelivery } from '../domain/tested-delivery.ts';
import type { TestResult, WebhookEndpoint, WebhookEndpoints } from '../ports/platform.ts';
import { CONFIG_OPTION } from './config-file.ts';
import type { Console } from './console.ts';

export interface TestWiring {
  /** How the running worker judged the last test delivery; undefined when none has arrived. */
  readonly lastTest: (config: Config) => Promise<TestedDelivery | undefined>;
}

interface TestOptions {
  readonly config: string;
  readonly type?: string;
  readonly json?: boolean;
}

/** `slotbridge webhook test`: the platform sends a test event to the running worker, which says which scheme verifies it. */
export function webhookTestCommand(
  webhook: Command,
  parts: {
    readonly io: Console;
    readonly loadWiring: () => Promise<
      TestWiring & { readonly eventTypes: (config: Config) => readonly string[] }
    >;
    readonly read: (path: string) => Promise<Config>;
    readonly own: (config: Config) => Promise<{ endpoints: WebhookEndpoints; endpoint: WebhookEndpoint }>;
    readonly onBroken: () => void;
  },
): void {
  const { io } = parts;
  webhook
    .command('test')
    .description(
      'make the platform send a test event to the running worker, and show which scheme verifies its signature',
    )
    .option(...CONFIG_OPTION)
    .option('--type <type>', 'event type (default: one that the mirrors need)')
    .option('--json', 'print one JSON object')
    .action(async (options: TestOptions) => {
      const config = await parts.read(options.config);
      const wiring = await parts.loadWiring();
      const { endpoints, endpoint } = await parts.own(config);
      const type = options.type ?? wiring.eventTypes(config)[0] ?? 'appointment.created';
      const sent = await endpoints.test(endpoint.id, type);
      const last = await wiring.lastTest(config);
      const met = last?.eventId === sent.eventId ? last : undefined;
      if (options.json === true)
        io.stdout.write(`${JSON.stringify({ endpoint: endpoint.id, type, sent, met: met ?? null })}\n`);
      else io.stdout.write(`${describe(type, sent, met)}\n${endpoint.status === 'enabled' ? '' : DISABLED}`);
      if (met === undefined || met.verdicts[met.configured] !== 'valid') parts.onBroken();
    });
}

function describe(type: string, sent: TestResult, met: TestedDelivery | undefined): string {
  const answer =
    sent.statusCode === null
      ? `no answer (${sent.error ?? 'no reason given'})`
      : `answered ${sent.statusCode}`;
  const took = sent.durationMs === null ? '' : ` in ${sent.durationMs} ms`;
  const head = `Test event ${type}: ${answer}${took}.`;
  if (met === undefined) return `${head}\n${UNMET[sent.statusCode ?? 0] ?? NOT_MET}`;
  const lines = Object.entries(met.verdicts).map(
    ([scheme, verdict]) =>
      `  ${scheme.padEnd(12)}${WORDS[verdict] ?? verdict}${scheme === met.configured ? ', as platform.webhook.signature says' : ''}`,
  );
  return [head, ...lines, adviceFor(met)].join('\n');
}

const NOT_MET =
  "The worker did not receive it. Check that it runs, and that the endpoint's address leads to it.";

/** Answers for which the worker stores no verdict, because it cannot know the sender. The status code says why. */
const UNMET: Readonly<Record<number, string>> = {
  202: 'The worker has no secret, or platform.webhook.signature is doorbell: a delivery only starts a feed walk. Run `slotbridge webhook register` or `slotbridge webhook roll-secret`.',
  401: 'No scheme verifies it. Either the secret differs (run `slotbridge webhook roll-secret`), or the header has another name (platform.webhook.header).',
};

const DISABLED = 'The endpoint is disabled: it receives only tests. Run: slotbridge webhook enable\n';

const WORDS: Readonly<Record<string, string>> = {
  valid: 'verifies',
  wrong: 'does not verify',
  missing: 'its headers are missing',
  malformed: 'its header has another format',
  'too-old': "verifies, but its time differs too much from the worker's clock",
};

function adviceFor({ configured, verdicts }: TestedDelivery): string {
  if (verdicts[configured] === 'valid') return 'Deliveries are verified.';
  const valid = Object.keys(verdicts).find((scheme) => verdicts[scheme] === 'valid');
  if (valid !== undefined) return `Set platform.webhook.signature: ${valid}, and restart the worker.`;
  return 'Check the clocks, or raise platform.webhook.tolerance.';
}
