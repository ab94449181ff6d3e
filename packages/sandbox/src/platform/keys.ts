/** API keys, each with a fixed set of scopes and projects (platform API, Authentication). */
import { type EventType, SCOPES, type Scope, scopesToRead } from './event-types.ts';
import { Problem } from './problem.ts';
import type { Random } from './random.ts';
import type { ProjectRecord } from './records.ts';

export interface KeyOptions {
  /** Absent: all scopes. */
  scopes?: Scope[];
  /** Absent: every project of the company, including later ones. */
  projectIds?: string[];
  revoked?: boolean;
  /** The key itself. Absent: a random one. */
  key?: string;
}

/** The caller: what a key may see and do. */
export class Caller {
  readonly key: string;
  readonly isRevoked: boolean;
  readonly #scopes: ReadonlySet<Scope>;
  readonly #projectIds: readonly string[] | undefined;
  readonly #projects: ReadonlyMap<string, ProjectRecord>;

  constructor(key: string, options: KeyOptions, projects: ReadonlyMap<string, ProjectRecord>) {
    this.key = key;
    this.isRevoked = options.revoked ?? false;
    this.#scopes = new Set(options.scopes ?? SCOPES);
    this.#projectIds = options.projectIds && [...options.projectIds];
    this.#projects = projects;
  }

  /** The key's projects that still exist. */
  projectIds(): string[] {
    const ids = this.#projectIds ?? [...this.#projects.keys()];
    return ids.filter((id) => this.#projects.has(id));
  }

  sees(projectId: string): boolean {
    return this.#projects.has(projectId) && (this.#projectIds?.includes(projectId) ?? true);
  }

  get coversAllProjects(): boolean {
    return [...this.#projects.keys()].every((id) => this.sees(id));
  }

  has(scope: Scope): boolean {
    return this.#scopes.has(scope);
  }

  canRead(type: EventType | '*'): boolean {
    return scopesToRead(type).every((scope) => this.has(scope));
  }

  demandScope(scope: Scope): void {
    if (!this.has(scope)) throw new Problem('forbidden', `The key lacks the scope ${scope}.`);
  }

  /** Throws 403 for a `project_id` filter or field that is not in the key. */
  demandProject(projectId: string): void {
    if (!this.sees(projectId)) throw new Problem('forbidden', 'The project_id is not in the key.');
  }
}

export class KeyRing {
  readonly #callers = new Map<string, Caller>();
  readonly #random: Random;
  readonly #projects: ReadonlyMap<string, ProjectRecord>;

  constructor(parts: { random: Random; projects: ReadonlyMap<string, ProjectRecord> }) {
    this.#random = parts.random;
    this.#projects = parts.projects;
  }

  create(options: KeyOptions = {}): string {
    const key = options.key ?? `sk_sandbox_${this.#random.bytes(24).toString('hex')}`;
    this.#callers.set(key, new Caller(key, options, this.#projects));
    return key;
  }

  /** From now on, the key answers 401. */
  revoke(key: string): void {
    this.#callers.delete(key);
  }

  /** The caller of an Authorization header. Throws 401 for a missing or unknown key. */
  identify(header: string | undefined): Caller {
    const key = /^Bearer +(\S+)$/i.exec(header ?? '')?.[1];
    const caller = key === undefined ? undefined : this.#callers.get(key);
    if (!caller || caller.isRevoked)
      throw new Problem('unauthenticated', 'The API key is missing, wrong, expired or revoked.');
    return caller;
  }
}
