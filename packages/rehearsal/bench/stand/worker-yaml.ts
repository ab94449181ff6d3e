export interface WorkerSetting {
  readonly platformUrl: string;
  readonly apiKey: string;
  /** The webhook endpoint's secret. Absent: webhooks only trigger a walk. */
  readonly secret?: string;
  readonly port: number;
  /** The port at which the platform and Google reach a worker. */
  readonly publicPort: number;
  readonly googleUrl: string;
  readonly keyFile: string;
  readonly redisUrl: string;
  /** YAML of the section `mirrors`. */
  readonly mirrors: string;
  /** How many objects are handled concurrently. */
  readonly concurrency?: number;
  /** Requests per minute. Absent: the product's defaults. */
  readonly calendarPerMinute?: number;
  readonly sheetsPerMinute?: number;
  readonly flushEvery?: string;
  readonly feedEvery?: string;
  /** Whether Google pings the worker. */
  readonly push?: boolean;
}

/** The worker's configuration, with the product's defaults wherever a bench sets nothing. */
export function workerYaml(setting: WorkerSetting): string {
  const secrets = setting.secret === undefined ? '[]' : JSON.stringify([setting.secret]);
  const { calendarPerMinute: calendar, sheetsPerMinute: sheets } = setting;
  const quotas = [
    ...(calendar === undefined ? [] : [`calendar_per_minute: ${calendar}`]),
    ...(sheets === undefined
      ? []
      : [`sheets_reads_per_minute: ${sheets}`, `sheets_writes_per_minute: ${sheets}`]),
  ];
  return `
platform:
  base_url: ${setting.platformUrl}
  api_key: ${setting.apiKey}
  webhook: { public_url: "http://127.0.0.1:${setting.publicPort}", secrets: ${secrets} }
  feed: { every: ${setting.feedEvery ?? '1m'} }
google:
  credentials: ${setting.keyFile}
  calendar_root_url: ${setting.googleUrl}/
  sheets_root_url: ${setting.googleUrl}/
  token_url: ${setting.googleUrl}/token
  quotas: { ${quotas.join(', ')} }
  watch: { push: ${setting.push === true} }
redis: { url: "${setting.redisUrl}" }
http: { port: ${setting.port} }
worker: { concurrency: ${setting.concurrency ?? 8}, flush_every: ${setting.flushEvery ?? '2s'} }
log: { format: json, level: warn }
${setting.mirrors}`;
}
