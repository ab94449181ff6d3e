import { dirname, join } from 'node:path';
import type { Command } from 'commander';
import { counted, unbroken } from '../engine/counts.ts';
import type { LiveReport } from '../engine/finding.ts';
import { NO_DIRECTORY } from '../engine/mirror.ts';
import { warnOfBookings } from '../mapping/booking-warnings.ts';
import type { Config } from '../mapping/config.ts';
import { zonesInUse } from '../mapping/needs.ts';
import {
  CONFIG_OPTION,
  ENV_FILE,
  fileVariables,
  type LoadChecks,
  readConfig,
  readText,
} from './config-file.ts';
import type { Console } from './console.ts';

const PROXY_NAMES = /^(?:https?|no)_proxy$/i;

/** `slotbridge check`: validates the YAML. It calls no remote side, except with `--live`. */
export function addCheck(
  program: Command,
  parts: {
    readonly io: Console;
    readonly checks: LoadChecks;
    /** Throws for a secret file that `start` would refuse. */
    readonly checkSecrets: (config: Config) => Promise<void>;
    readonly checkLive: (config: Config) => Promise<LiveReport>;
    /** Called when something cannot work. */
    readonly onBroken: () => void;
  },
): void {
  const { io, checks } = parts;
  program
    .command('check')
    .description('list every error in the YAML, with its line and how to fix it')
    .option(...CONFIG_OPTION)
    .option('--live', 'also ask the platform and Google whether the mapping can work')
    .option('--json', 'print the configuration as JSON with secrets masked; with --live also the findings')
    .action(async (options: { config: string; json?: boolean; live?: boolean }) => {
      const config = await readConfig(options.config, { env: io.env, checks });
      await parts.checkSecrets(config);
      const { isOpenSecret, openSecretFiles, summarizeConfig } = await import('../mapping/changes.ts');
      const summary = summarizeConfig(config);
      const live = options.live === true ? await parts.checkLive(config) : undefined;
      if (live?.ok === false) parts.onBroken();
      const variables = join(dirname(options.config), ENV_FILE);
      const open: string[] = openSecretFiles(config, [variables]).map(
        (path) => `other users of this machine may read ${path}: run chmod 600 on it`,
      );
      if (isOpenSecret({ path: options.config, text: readText(options.config) }, config))
        open.push(
          `other users of this machine may read ${options.config}, which holds a secret: move it into a variable, or run chmod 600 on the file`,
        );
      // They are not read from the YAML, so the file that fills it does not set them.
      for (const name of Object.keys(fileVariables(options.config)).filter((each) => PROXY_NAMES.test(each)))
        open.push(`${name} in ${variables} has no effect: set it in the environment of the process`);
      const { warnOfCarry } = await import('../mapping/mirror-sketch.ts');
      const { zoneNotices } = await import('../engine/zone-news.ts');
      const zones = zoneNotices(zonesInUse(config, NO_DIRECTORY), { nowMs: Date.now() });
      const warnings = [
        ...warnOfBookings(config.bookings, config.mirrors),
        ...warnOfCarry(config.mirrors),
        ...open,
        ...zones,
      ];
      const { typedBounds, typedBoundText } = await import('../mapping/needs.ts');
      const typed = typedBounds(config);
      if (options.json === true) {
        const known = typed.length === 0 ? summary : { ...summary, typed };
        const told = warnings.length === 0 ? known : { ...known, warnings };
        io.stdout.write(`${JSON.stringify(live === undefined ? told : { ...told, live })}\n`);
        return;
      }
      const { mirrors, platform, redis } = summary;
      io.stdout.write(`${options.config} is valid.\n`);
      io.stdout.write(
        `  platform   ${platform.baseUrl}, webhook secrets ${platform.webhook.secrets}, file ${platform.webhook.secretFile}\n`,
      );
      io.stdout.write(
        `  redis      ${redis.url === 'private' ? `private, in ${redis.dataDir}` : redis.url}\n`,
      );
      io.stdout.write(
        `  mirrors    ${mirrors.total}: ${counted(mirrors.calendars, 'calendar')}, ${counted(mirrors.tabs, 'tab')} in ${counted(mirrors.spreadsheets, 'spreadsheet')}\n`,
      );
      const { schedule, timezone } = config.platform.resync;
      const zone = timezone ?? "the branch's time zone (platform.resync.timezone names another)";
      if (schedule !== undefined) io.stdout.write(`  resync     ${schedule} in ${zone}\n`);
      for (const bound of typed) io.stdout.write(`  typed      ${typedBoundText(bound)}\n`);
      for (const warning of warnings) io.stdout.write(`  warning    ${warning}\n`);
      if (live !== undefined) io.stdout.write(formatLiveReport(live));
    });
}

/** A table of all findings, with the advice below each line that has one. Ends with a newline. */
export function formatLiveReport(report: LiveReport): string {
  const width = Math.max(0, ...report.findings.map(({ subject }) => subject.length));
  const lines = report.findings.flatMap(({ side, subject, verdict, detail, advice }) => [
    `  ${side.padEnd(9)} ${subject.padEnd(width)}  ${verdict.padEnd(7)}  ${detail}`,
    ...(advice === undefined ? [] : [`      -> ${advice}`]),
  ]);
  const bad = report.findings.filter(({ verdict }) => verdict === 'broken' || verdict === 'unknown').length;
  const end = report.ok ? 'Everything can work.' : `${bad} of ${report.findings.length} cannot work yet.`;
  // Without Google there is nobody to name.
  const known = report.account === '' ? [] : [`Google knows the worker as ${report.account}.`];
  // Names from elsewhere (tabs, resources) must not move the cursor, colour the screen or add a line.
  return [...known, ...lines, end].map((line) => `${unbroken(line)}\n`).join('');
}
