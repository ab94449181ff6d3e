import type { Command } from 'commander';
import type { Config } from '../config/config.ts';
import { TerminalError } from '../domain/errors.ts';
import { assertStrong } from '../domain/signing-secret.ts';
import type { Roll, WebhookEndpoint, WebhookEndpoints } from '../ports/platform.ts';
import { CONFIG_OPTION } from './config-file.ts';
import type { Console } from './console.ts';
import { sendWithRetries } from './patient-request.ts';
import { UsageError } from './usage-error.ts';

export interface SecretWiring {
  readonly assertSecretFileIsWritable: (file: string) => void;
  readonly keepSecret: (file: string, secret: string) => void;
  readonly beginRoll: (
    file: string,
    about: { readonly endpointId: string; readonly overlapHours: 1 | 24 },
  ) => Roll;
}

interface RollOptions {
  readonly config: string;
  readonly secretFile?: string;
  readonly overlap: string;
}

/**
 * What messages call a secret with which the worker cannot verify. The command stores the secret before it complains, because the platform
 * shows it only once.
 */
export const GIVEN = 'the secret that the platform gave';

/** `slotbridge webhook roll-secret`: gets another secret. At no time are there deliveries that cannot be verified. */
export function rollSecretCommand(
  webhook: Command,
  parts: {
    readonly io: Console;
    readonly loadWiring: () => Promise<SecretWiring>;
    readonly read: (path: string) => Promise<Config>;
    readonly own: (config: Config) => Promise<{ endpoints: WebhookEndpoints; endpoint: WebhookEndpoint }>;
  },
): void {
  webhook
    .command('roll-secret')
    .description('make the platform sign with a new secret; the old one also signs for a while')
    .option(...CONFIG_OPTION)
    .option('--secret-file <file>', 'file for the secret (default: platform.webhook.secret_file)')
    .option('--overlap <hours>', 'how long the old secret keeps signing: 24 or 1', '24')
    .action(async (options: RollOptions) => {
      const config = await parts.read(options.config);
      const file = options.secretFile ?? config.platform.webhook.secretFile;
      if (file === undefined) throw noPlace();
      const overlapHours = readOverlap(options.overlap);
      const { endpoints, endpoint } = await parts.own(config);
      const wiring = await parts.loadWiring();
      wiring.assertSecretFileIsWritable(file);
      const roll = wiring.beginRoll(file, { endpointId: endpoint.id, overlapHours });
      const { secret } = await sendWithRetries(() => endpoints.rollSecret(endpoint.id, roll));
      // Store the secret before printing anything. The worker reads the file at its next delivery; until then the old secret verifies.
      wiring.keepSecret(file, secret);
      roll.end();
      const told = roll.isResumed ? ' This finished the roll that was begun earlier.' : '';
      parts.io.stdout.write(
        `The new secret of endpoint ${endpoint.id} is saved in ${file}.${told}\nThe old one keeps signing for ${roll.overlapHours} h. After that, remove it from the file and the YAML.\n`,
      );
      assertStrong(config.platform.webhook.signature, secret, GIVEN);
    });
}

function readOverlap(written: string): 1 | 24 {
  if (written === '24') return 24;
  if (written === '1') return 1;
  throw new UsageError('overlap-unknown', 'the platform lets an old secret sign for 1 or 24 hours', {
    advice:
      'Give --overlap 24 or --overlap 1. Without overlap, deliveries would be refused until the worker has the new secret.',
  });
}

function noPlace(): TerminalError {
  return new TerminalError(
    'no-place-for-the-secret',
    'the platform shows the secret only once, and no file for it is set',
    { advice: 'Set platform.webhook.secret_file, or give --secret-file.' },
  );
}
