// Finds the master through its sentinels. All are asked at once: a silent one must not hold up the answer of the others. ioredis's own
// connector asks one after another. Its failover detector may end a client for good while it reconnects.
import { createConnection } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { AbstractConnector, Redis } from 'ioredis';
import { nodeFailure } from './node-failure.ts';

export interface HostPort {
  readonly host: string;
  readonly port: number;
}

/** What one sentinel said; `failure` says in words why it said nothing. */
interface Answer {
  readonly sentinel: HostPort;
  readonly master?: HostPort | undefined;
  /** Grows with each failover. */
  readonly epoch: number;
  readonly others: readonly HostPort[];
  readonly failure?: string;
}

/** Event of a client: what each sentinel answered, as an `Error` whose message is meant for people. */
export const SENTINELS_ANSWERED = 'sentinels';

/** How long one sentinel may take, and how long the others may take once one has named the master. */
const ANSWER_WITHIN_MS = 2_000;
const OTHERS_WITHIN_MS = 250;
/** Pause before asking again. It grows up to the longest. */
const AGAIN_AFTER_MS = 100;
const AGAIN_AFTER_MS_MAX = 1_000;
/** How long a connection may take to close. */
const DISCONNECT_WITHIN_MS = 2_000;
/** Most sentinels that are remembered: more are nobody's set-up. */
const SENTINELS_MAX = 32;

/** A connector for ioredis's option `Connector`. Clients that share it share what they learned about further sentinels. */
export function masterConnector(named: readonly HostPort[], name: string) {
  const known = new Map(named.map((node) => [addressOf(node), node]));
  return class MasterConnector extends AbstractConnector {
    #attempt = 0;

    constructor() {
      super(DISCONNECT_WITHIN_MS);
    }

    override check({ role }: { readonly role?: string }): boolean {
      return role === undefined || role === 'master';
    }

    /** Resolves with a connection to the master. Rejects only once the client has been closed. */
    async connect(emit: (type: string, error: Error) => void) {
      this.connecting = true;
      this.#attempt += 1;
      const own = this.#attempt;
      for (let pauseMs = AGAIN_AFTER_MS; ; pauseMs = Math.min(2 * pauseMs, AGAIN_AFTER_MS_MAX)) {
        const { master, report } = await askAll(known, name);
        if (!this.connecting || own !== this.#attempt) throw new Error('Connection is closed.');
        emit(SENTINELS_ANSWERED, new Error(report));
        if (master !== undefined) {
          const stream = createConnection(master);
          stream.once('error', (error) => {
            this.firstError = error;
          });
          this.stream = stream;
          return stream;
        }
        emit('error', new Error(`No sentinel names the master: ${report}`));
        await sleep(pauseMs);
      }
    }
  };
}

/** The sentinel that has seen the most failovers is right: one that was cut off still names the former master. */
async function askAll(
  known: Map<string, HostPort>,
  name: string,
): Promise<{ readonly master: HostPort | undefined; readonly report: string }> {
  const asked = [...known.values()];
  const answers = await firstAnswers(asked, name);
  for (const other of answers.flatMap(({ others }) => others)) {
    if (known.size < SENTINELS_MAX) known.set(addressOf(other), other);
  }
  const [best] = answers.filter(({ master }) => master !== undefined).sort((a, b) => b.epoch - a.epoch);
  const report = asked.map((sentinel) => inWords(sentinel, answers)).join(', ');
  return { master: best?.master, report };
}

function inWords(sentinel: HostPort, answers: readonly Answer[]): string {
  const answer = answers.find((each) => each.sentinel === sentinel);
  const about = `sentinel ${addressOf(sentinel)}`;
  if (answer?.master !== undefined) return `${about} names ${addressOf(answer.master)}`;
  return `${about} ${answer?.failure ?? 'is silent'}`;
}

/** Resolves when all have answered or failed, or soon after the first has named a master. */
async function firstAnswers(sentinels: readonly HostPort[], name: string): Promise<readonly Answer[]> {
  const answers: Answer[] = [];
  const clients: Redis[] = [];
  let timer: NodeJS.Timeout | undefined;
  await new Promise<void>((done) => {
    for (const sentinel of sentinels) {
      const client = openSentinel(sentinel);
      clients.push(client);
      void ask(client, sentinel, name).then((answer) => {
        answers.push(answer);
        if (answers.length === sentinels.length) done();
        else if (answer.master !== undefined) timer ??= setTimeout(done, OTHERS_WITHIN_MS);
      });
    }
  });
  clearTimeout(timer);
  for (const client of clients) client.disconnect();
  return answers;
}

function openSentinel({ host, port }: HostPort): Redis {
  const client = new Redis({
    ...{ host, port, connectTimeout: ANSWER_WITHIN_MS, commandTimeout: ANSWER_WITHIN_MS },
    ...{ enableReadyCheck: false, disableClientInfo: true, protocol: 2, retryStrategy: () => null },
  });
  client.on('error', () => {});
  return client;
}

async function ask(client: Redis, sentinel: HostPort, name: string): Promise<Answer> {
  let failure: Error | undefined;
  client.on('error', (error: Error) => {
    failure ??= error;
  });
  try {
    const [master, epoch, others] = await Promise.all([
      client.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', name),
      // A user of the sentinels may not be allowed to run these two.
      client.call('SENTINEL', 'MASTER', name).then(epochOf, () => 0),
      client.call('SENTINEL', 'SENTINELS', name).then(othersOf, () => []),
    ]);
    if (!Array.isArray(master)) return { sentinel, epoch, others, failure: `does not watch ${name}` };
    const [host, port] = master.map(String);
    return { sentinel, epoch, others, master: { host: host ?? '', port: Number(port) } };
  } catch (error) {
    return { sentinel, epoch: 0, others: [], failure: nodeFailure(failure ?? (error as Error)) };
  }
}

function epochOf(reply: unknown): number {
  return Number(fieldsOf(reply)['config-epoch'] ?? 0);
}

function othersOf(reply: unknown): HostPort[] {
  const all = Array.isArray(reply) ? reply.map(fieldsOf) : [];
  return all
    .filter(
      ({ flags = '', ip, port }) => !flags.includes('disconnected') && ip !== undefined && port !== undefined,
    )
    .map(({ ip = '', port }) => ({ host: ip, port: Number(port) }));
}

/** A flat list of names and values. */
function fieldsOf(reply: unknown): Readonly<Record<string, string>> {
  const flat = Array.isArray(reply) ? reply.map(String) : [];
  const fields: Record<string, string> = {};
  for (let at = 0; at + 1 < flat.length; at += 2) fields[String(flat[at])] = String(flat[at + 1]);
  return fields;
}

function addressOf({ host, port }: HostPort): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}
