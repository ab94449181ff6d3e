import { NamedScript, RedisStore, replyWithin } from './redis-script.ts';

/** How long a trace waits for the turn or the flush that goes on with it: a change that waits longer begins another trace. */
const WAITS_S = 24 * 3_600;

const DROP = new NamedScript(
  { keys: ['trace'], args: ['context'] },
  `
if redis.call('GET', trace) == context then redis.call('DEL', trace) end
return 1
`,
);

/**
 * Trace contexts (W3C `traceparent`) of changes between two processes: from the intake to the turn, from the turn to the flush. Only while
 * traces are exported. The queue carries keys alone and may lose them, so the context stands beside the object.
 */
export class TraceStore extends RedisStore {
  /** Returns the context that waited there before: one turn serves both. */
  async put(name: string, context: string): Promise<string | undefined> {
    const before = await replyWithin(this.redis.set(this.keys.trace(name), context, 'EX', WAITS_S, 'GET'));
    return before ?? undefined;
  }

  async of(name: string): Promise<string | undefined> {
    return (await replyWithin(this.redis.get(this.keys.trace(name)))) ?? undefined;
  }

  /** Unless a newer change waits there by now. */
  async drop(name: string, context: string): Promise<void> {
    await DROP.run(this.redis, { keys: { trace: this.keys.trace(name) }, args: { context } });
  }
}
