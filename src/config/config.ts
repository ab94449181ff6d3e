import type { BlockRule } from '../domain/block.ts';
import type { PlatformKind } from '../domain/entity.ts';
import type { Feed } from '../domain/feed.ts';
import type { Keep } from '../domain/keep.ts';
import type { Mirror } from '../domain/mirror.ts';
import type { BookingSource } from '../domain/outside-booking.ts';
import type { Role } from '../domain/role.ts';

/** Everything the operator decided, checked, with every default filled in. Times are milliseconds, sizes bytes. */
export interface Config {
  readonly platform: PlatformConfig;
  readonly google: GoogleConfig;
  readonly redis: RedisConfig;
  readonly http: HttpConfig;
  readonly worker: WorkerConfig;
  readonly log: LogConfig;
  readonly alerts: AlertsConfig;
  readonly console: ConsoleConfig;
  readonly privacy: PrivacyConfig;
  /** At least one, in the order of the file. */
  readonly mirrors: readonly Mirror[];
  /** What is carried back, in the order of the file; an event that two of them take is the first one's. */
  readonly bookings: readonly BookingSource[];
  /** In the order of the file. */
  readonly feeds: readonly Feed[];
  /** Whose private events make their time unbookable, in the order of the file. */
  readonly blocks: readonly BlockRule[];
}

export interface PlatformConfig {
  /** Ends in the version segment, without a slash behind it. */
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly timeoutMs: number;
  readonly webhook: WebhookConfig;
  readonly feed: { readonly everyMs: number; readonly overlapMs: number };
  readonly resync: ResyncConfig;
}

/** Lists that are read in full although nothing is known to be missing. */
export interface ResyncConfig {
  /** Cron expression on the clock of the process; absent: never. */
  readonly schedule?: string;
  readonly kinds: readonly Exclude<PlatformKind, 'lead'>[];
}

export const SIGNATURE_SCHEMES = ['timestamped', 'body', 'standard', 'doorbell'] as const;
export type SignatureScheme = (typeof SIGNATURE_SCHEMES)[number];

export interface WebhookConfig {
  /** Where the platform reaches this worker, without the route and without a slash at the end. */
  readonly publicUrl?: string;
  /** Secrets that may sign a delivery; none: every scheme acts as `doorbell`. */
  readonly secrets: readonly string[];
  /** File in which `webhook register` keeps the secret and from which `start` reads more of them. */
  readonly secretFile?: string;
  readonly signature: SignatureScheme;
  /** Name of the header that carries the signature, as written; compare it without case. */
  readonly header: string;
  readonly toleranceMs: number;
  readonly maxBodyBytes: number;
  /** Enable an endpoint again that the platform disabled. */
  readonly reenable: boolean;
  readonly checkEveryMs: number;
}

export interface GoogleConfig {
  /** Path of a key file; absent: application default credentials. */
  readonly credentials?: string;
  /** The user whom a service account with domain-wide delegation acts for. */
  readonly actAs?: string;
  /** Accounts beside the default one, by name; absent: there are none. */
  readonly accounts?: Readonly<Record<string, GoogleAccountConfig>>;
  /** How people agree that the worker acts for them; present where an account is one of a person. */
  readonly consent?: ConsentConfig;
  /** Ends with a slash. */
  readonly calendarRootUrl: string;
  /** Ends with a slash. */
  readonly sheetsRootUrl: string;
  readonly tokenUrl: string;
  readonly timeoutMs: number;
  readonly watch: WatchConfig;
  readonly quotas: {
    readonly calendarPerMinute: number;
    readonly sheetsReadsPerMinute: number;
    readonly sheetsWritesPerMinute: number;
  };
}

/** An account beside the default one. */
export interface GoogleAccountConfig {
  /** Path of a key file; absent: application default credentials. */
  readonly credentials?: string;
  readonly actAs?: string;
  /** Address of the person who agrees in a browser; then there are neither of the others. */
  readonly consent?: string;
}

export interface ConsentConfig {
  /** File of an OAuth client of the type "Web application". */
  readonly client: string;
  /** Keys of 32 bytes in base64. The first one seals, all of them open. */
  readonly keys: readonly string[];
}

/** How changes in Google Calendar are noticed. */
export interface WatchConfig {
  /** The shortest interval of polling. */
  readonly everyMs: number;
  /** The longest one of a quiet calendar for which Google pings. */
  readonly quietEveryMs: number;
  /** Google is asked to ping; `platform.webhook.publicUrl` is there. */
  readonly push: boolean;
  readonly settleMs: number;
  readonly channelTtlMs: number;
}

export interface RedisConfig {
  /** `redis://`, `rediss://`, `redis+sentinel://` or `redis+cluster://`; absent: a private Redis in `dataDir`. */
  readonly url?: string;
  readonly prefix: string;
  readonly dataDir: string;
}

export interface HttpConfig {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** Other names under which internal routes answer; lower case, without a port. */
  readonly hosts: readonly string[];
}

export const LANGUAGES = ['en', 'ru'] as const;
export type Language = (typeof LANGUAGES)[number];

export interface WorkerConfig {
  readonly concurrency: number;
  readonly attempts: number;
  readonly shutdownMs: number;
  readonly flushEveryMs: number;
  /** How long taken events stand in the journal; 0 keeps none. */
  readonly journalMs: number;
  /** Language of the worker's texts in calendars and sheets. */
  readonly language: Language;
  /** Title of the tab in each spreadsheet that says how current it is; absent: there is none. */
  readonly statusTab?: string;
  /** How long a calendar is behind before a note in it says so; absent: no notes. */
  readonly calendarNoteMs?: number;
}

/** What is known of people, and for how long. */
export interface PrivacyConfig {
  /** A contact that the platform has deleted is erased everywhere. */
  readonly forgetDeleted: boolean;
  readonly keep: Keep;
}

/** When people are told, and where. */
export interface AlertsConfig {
  /** A secret. Absent: the log and the metrics only. */
  readonly webhook?: string;
  readonly lagMs: number;
  readonly stuckMs: number;
  readonly coverageMs: number;
  readonly holeMs: number;
  /** How many there may be. */
  readonly deadLetters: number;
  readonly raiseAfterMs: number;
  readonly clearAfterMs: number;
}

export const CONSOLE_EXPOSURES = ['this-machine', 'network'] as const;
export type ConsoleExposure = (typeof CONSOLE_EXPOSURES)[number];

/** The web console. */
export interface ConsoleConfig {
  readonly isEnabled: boolean;
  /** `this-machine`: requests from elsewhere, and those that a proxy has passed on, get no answer. */
  readonly exposure: ConsoleExposure;
  /** Scheme, name and port under which people reach it; there when `exposure` is `network`. */
  readonly address?: string;
  readonly sessionMs: number;
  /** Addresses and networks (`10.0.0.0/8`) whose `X-Forwarded-For` is believed. */
  readonly trustedProxies: readonly string[];
  /** Absent: people sign in by links alone. */
  readonly oidc?: OidcConfig;
}

/** A provider of OpenID Connect. */
export interface OidcConfig {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly scope: string;
  /** Claim of the id token whose values count as groups. */
  readonly claim?: string;
  /** E-mail addresses and `@domains` in lower case, and groups. */
  readonly roles: Readonly<Record<Role, readonly string[]>>;
}

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export const LOG_FORMATS = ['auto', 'pretty', 'json'] as const;
export type LogFormat = (typeof LOG_FORMATS)[number];

export interface LogConfig {
  readonly level: LogLevel;
  /** `auto`: pretty on a terminal, JSON elsewhere. */
  readonly format: LogFormat;
}
