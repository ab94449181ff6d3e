import { statSync } from 'node:fs';
import type { Config } from './config.ts';

const OTHERS = 0o077;

/** Files with secrets that other users of this machine may read or change. Missing and unreadable files are reported elsewhere. */
export function openSecretFiles(
  { google, platform }: Config,
  others: readonly string[] = [],
): readonly string[] {
  const { secretFile } = platform.webhook;
  const keys = Object.values(google.accounts ?? {}).map(({ credentials }) => credentials);
  const all = [google.credentials, ...keys, google.consent?.client, secretFile, ...others];
  return [...new Set(all)].filter((path): path is string => path !== undefined && isOpen(path));
}

/** True when other users may read or change this YAML, and a secret stands in it rather than in a variable. */
export function isOpenSecret(
  { path, text }: { readonly path: string; readonly text: string },
  config: Config,
): boolean {
  // A default of a variable is the sandbox's key.
  const plain = text.replaceAll(/\$\{[^}]*\}/g, '');
  return isOpen(path) && secretsOf(config).some((secret) => plain.includes(secret));
}

function secretsOf({ platform, console, alerts, redis }: Config): readonly string[] {
  const password = /:([^:@/]+)@/.exec(redis.url ?? '')?.[1];
  const all = [
    platform.apiKey,
    ...platform.webhook.secrets,
    console.oidc?.clientSecret,
    alerts.webhook,
    password,
  ];
  return all.filter((secret): secret is string => secret !== undefined && secret !== '');
}

function isOpen(path: string): boolean {
  // Windows has no file modes of this kind.
  if (process.platform === 'win32') return false;
  try {
    return (statSync(path).mode & OTHERS) !== 0;
  } catch {
    return false;
  }
}
