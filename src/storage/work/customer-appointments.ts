import type { CustomerAppointments } from '../../ports/work.ts';
import type { KeySpace } from '../core/key-space.ts';
import { answered, Script } from '../core/script.ts';
import type { RedisClient } from '../redis/redis-client.ts';

/** Longer than an appointment has turns of its own: a set that nobody adds to is of nobody who comes any more. */
const KEPT_S = 400 * 24 * 3600;

const NOTE = new Script(`
redis.call('SADD', KEYS[1], ARGV[1])
redis.call('EXPIRE', KEYS[1], ${KEPT_S})
return 1
`);

/** A set of appointment ids per contact. */
export class RedisCustomerAppointments implements CustomerAppointments {
  readonly #redis: RedisClient;
  readonly #keys: KeySpace;

  constructor(parts: { redis: RedisClient; keys: KeySpace }) {
    this.#redis = parts.redis;
    this.#keys = parts.keys;
  }

  async note(contactId: string, appointmentId: string): Promise<void> {
    await NOTE.run(this.#redis, [this.#keys.customer(contactId)], [appointmentId]);
  }

  async of(contactId: string): Promise<readonly string[]> {
    return answered(this.#redis.smembers(this.#keys.customer(contactId)));
  }

  async forget(contactId: string, appointmentIds: readonly string[]): Promise<void> {
    if (appointmentIds.length === 0) return;
    await answered(this.#redis.srem(this.#keys.customer(contactId), ...appointmentIds));
  }
}
