export interface WorkerSetting {
  readonly platformUrl: string;
  readonly apiKey: string;
  /** Of the webhook endpoint; absent, webhooks only ring for a walk. */
  readonly secret?: string;
  readonly port: number;
  readonly googleUrl: string;
  readonly keyFile: string;
  readonly redisUrl: string;
  /** YAML of the section `mirrors`. */
  readonly mirrors: string;
  /** Objects at the same time. */
  readonly concurrency?: number;
  /** Requests per minute; absent, the product's own settings. */
  readonly calendarPerMinute?: number;
  readonly feedEvery?: string;
}

/** The worker's configuration: the product's own settings wherever a bench does not have to choose. */
export function workerYaml(setting: WorkerSetting): string {
  const secrets = setting.secret === undefined ? '[]' : JSON.stringify([setting.secret]);
  const calendar =
    setting.calendarPerMinute === undefined ? '' : `calendar_per_minute: ${setting.calendarPerMinute}`;
  return `
platform:
  base_url: ${setting.platformUrl}
  api_key: ${setting.apiKey}
  webhook: { public_url: "http://127.0.0.1:${setting.port}", secrets: ${secrets} }
  feed: { every: ${setting.feedEvery ?? '1m'} }
google:
  credentials: ${setting.keyFile}
  calendar_root_url: ${setting.googleUrl}/
  sheets_root_url: ${setting.googleUrl}/
  token_url: ${setting.googleUrl}/token
  quotas: { ${calendar} }
redis: { url: "${setting.redisUrl}" }
http: { port: ${setting.port} }
worker: { concurrency: ${setting.concurrency ?? 8} }
log: { format: json, level: warn }
${setting.mirrors}`;
}
