// `slotbridge sandbox --like`: the company that a mapping names, and a copy of the mapping for a worker on these sandboxes.
import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { CUSTOMERS, STAND, type StandCompany } from '@slotbridge/sandbox/stand';
import { localAt } from '@slotbridge/sandbox/zones/local';
import { isMap, isScalar, parseDocument, visit } from 'yaml';
import { TerminalError } from '../../../src/engine/errors.ts';
import { ofKind } from '../../../src/engine/mirror.ts';
import type { Config } from '../../../src/mapping/config.ts';
import type { ConfigChecks } from '../../../src/mapping/mirror-check.ts';
import { filtersOf } from '../../../src/mapping/needs.ts';
import type { Environment } from '../../../src/mapping/variables.ts';
import { furnishGoogle, furnishPlatform } from './company.ts';
import { directoryOf, namedBy, UUID } from './directory.ts';
import { loadMapping, standInFor } from './mapping.ts';
import type { Given } from './schema.ts';
import { subscribe } from './world.ts';

const SERVICE = 'Consultation';
const COLLEAGUE = 'Anna Petrova';
const FIRST_HOUR = 10;
const PER_RESOURCE = 2;

export interface Like {
  readonly text: string;
  readonly config: Config;
  readonly company: StandCompany;
}

/** Throws a `ConfigError` with lines of the mapping. */
export function readLike(
  file: string,
  { env, checks }: { readonly env: Environment; readonly checks: ConfigChecks },
): Like {
  const text = readMapping(file);
  const config = loadMapping({ text, path: file }, env, checks);
  const given = givenBy(config);
  const about = { config, given, directory: directoryOf(config, given) };
  return {
    ...{ text, config },
    company: {
      furnishGoogle: (google) => furnishGoogle(google, about),
      furnishPlatform(platform) {
        const { services, resources, contacts } = furnishPlatform(platform, about);
        // Blocks have the others.
        const ids = [...services]
          .filter(([name]) => config.blocks.every((rule) => rule.service !== name))
          .map(([, id]) => id);
        const customers = [...contacts];
        const tomorrow = localAt(Date.now(), STAND.zone).startOf('day').plus({ days: 1 });
        let nth = 0;
        for (const resourceId of resources.values())
          for (let hour = 0; hour < PER_RESOURCE; hour += 1) {
            const [customerName = '', contactId = ''] = customers[nth % customers.length] ?? [];
            platform.dashboard.bookAs('lk', {
              ...{ serviceId: ids[nth % ids.length] ?? '', resourceId, customerName, contactId },
              startsAt:
                tomorrow
                  .set({ hour: FIRST_HOUR + hour * 2 })
                  .toUTC()
                  .toISO() ?? '',
            });
            nth += 1;
          }
        return ids[0] ?? '';
      },
    },
  };
}

function readMapping(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    const reason = (cause as NodeJS.ErrnoException).code ?? 'unknown';
    throw new TerminalError('config-unreadable', `${file} cannot be read (${reason})`, {
      ...{ advice: 'Give the path of a YAML that is there.', target: 'mapping', cause },
    });
  }
}

/** What the mapping names, with a colleague and a service where it names none, and customers. */
function givenBy(config: Config): Given {
  const filters = filtersOf(config).map(({ where }) => where);
  const named = [
    ...directoryOf(config, {}).resources.map(({ name }) => name),
    ...filters.flatMap((where) => ('resources' in where ? (where.resources ?? []) : [])),
  ];
  const by = named.length > 0 ? [...new Set(named)] : [COLLEAGUE];
  const services = [
    ...ofKind(config.mirrors, 'calendar').flatMap(({ calendars }) => calendars.flatMap(namedBy('service'))),
    ...filters.flatMap((where) => ('services' in where ? (where.services ?? []) : [])),
    // A template with variables can name any service.
    ...config.bookings.map(({ service }) => service).filter((text) => text !== '' && !/[{%]/.test(text)),
  ];
  return {
    timezone: STAND.zone,
    resources: Object.fromEntries(by.map((name) => [name, UUID.test(name) ? { id: name } : {}])),
    services: Object.fromEntries([
      ...(services.length > 0 ? services : [SERVICE]).map((name) => [name, { by }] as const),
      // Blocks take a service of any length.
      ...config.blocks.map(({ service }) => [service, { by, rental: true as const, minutes: 5 }] as const),
    ]),
    contacts: Object.fromEntries(CUSTOMERS.map(([name, phone]) => [name, { phone, lifecycle: 'customer' }])),
  };
}

/** Where the sandbox's own sections replace the operator's: nothing of the copy reaches a real account, Redis or chat. */
export async function writeLike(parts: {
  readonly file: string;
  readonly text: string;
  readonly config: Config;
  readonly workerPort: number;
  readonly dataDir: string;
  readonly running: { platformUrl: string; apiKey: string; googleUrl: string; keyFile: string };
}): Promise<{ readonly config: string; readonly calendarId: string }> {
  const { running, dataDir, workerPort } = parts;
  const { calendars } = directoryOf(parts.config, {});
  const publicUrl = `http://127.0.0.1:${workerPort}`;
  const secret = await subscribe(running.platformUrl, running.apiKey, `${publicUrl}/webhooks/platform`);
  const document = parseDocument(parts.text, { merge: true, stringKeys: true, logLevel: 'silent' });
  document.setIn(['platform', 'base_url'], running.platformUrl);
  document.setIn(['platform', 'api_key'], running.apiKey);
  document.setIn(['platform', 'webhook'], { public_url: publicUrl, secrets: [secret] });
  document.set('google', {
    ...{ credentials: running.keyFile, calendar_root_url: `${running.googleUrl}/` },
    ...{ sheets_root_url: `${running.googleUrl}/`, token_url: `${running.googleUrl}/token` },
  });
  // What a worker remembers of an earlier sandbox is not in this one.
  document.set('redis', {
    data_dir: join(dataDir, 'worker'),
    prefix: `like-${randomBytes(4).toString('hex')}`,
  });
  document.set('http', { port: workerPort });
  document.set('console', { enabled: true });
  document.delete('alerts');
  document.delete('caldav');
  // The sandbox has one account.
  visit(document, {
    Scalar: (role, node) => {
      if (role === 'key' || typeof node.value !== 'string') return;
      const standIn = standInFor(node.value.trim());
      if (calendars.includes(standIn)) node.value = standIn;
    },
    Pair: (_key, { key }, path) => {
      const above = path.map((each) => ('key' in each && isScalar(each.key) ? String(each.key.value) : ''));
      const [entry] = above.filter((name) => name !== '').slice(-1);
      const isAccount = isScalar(key) && key.value === 'account' && isMap(path.at(-1));
      if (isAccount && entry !== 'map' && !above.includes('columns')) return visit.REMOVE;
      return undefined;
    },
  });
  mkdirSync(dataDir, { recursive: true });
  const copy = join(dataDir, `like-${basename(parts.file)}`);
  writeFileSync(copy, document.toString({ lineWidth: 0 }), { mode: 0o600 });
  const [calendarId = ''] = calendars;
  return { config: copy, calendarId };
}
