import { formatKey } from '../domain/object.ts';
import type { Clock } from '../ports/runtime.ts';
import type { CustomerAppointments } from '../ports/work.ts';
import type { RedisClient } from '../redis/redis-client.ts';
import { FORGOTTEN } from './forgotten.ts';
import type { KeySpace } from './key-space.ts';
import { replyWithin, Script } from './script.ts';

/** How long an appointment stays listed for its contact: longer than it still has turns. */
const KEPT_S = 400 * 24 * 3600;

/** Keeps a customer of many years as small as one of a single year. It skips erased appointments, which the platform still lists. */
const NOTE = new Script(`${FORGOTTEN}
if forgotten_at(KEYS[2], KEYS[3], 'appointment/' .. ARGV[1]) then return 0 end
redis.call('ZADD', KEYS[1], ARGV[2], ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', tonumber(ARGV[2]) - ${KEPT_S} * 1000)
redis.call('EXPIRE', KEYS[1], ${KEPT_S})
return 1
`);

/** An appointment that came back meanwhile may have been noted again, so the script itself asks whether it is known. */
const FORGET = new Script(`
local customer = KEYS[1]
for nth, id in ipairs(ARGV) do
  if redis.call('HEXISTS', KEYS[nth + 1], 'd') == 0 then redis.call('ZREM', customer, id) end
end
return 1
`);

/** The ids of a contact's appointments, by when each was last judged. */
export class RedisCustomerAppointments implements CustomerAppointments {
  readonly #redis: RedisClient;
  readonly #keys: KeySpace;
  readonly #clock: Clock;

  constructor(parts: { redis: RedisClient; keys: KeySpace; clock: Clock }) {
    this.#clock = parts.clock;
    this.#redis = parts.redis;
    this.#keys = parts.keys;
  }

  async note(contactId: string, appointmentId: string): Promise<void> {
    const { forgotten, memory } = this.#keys;
    const keys = [this.#keys.customer(contactId), forgotten, memory];
    await NOTE.run(this.#redis, keys, [appointmentId, this.#clock.now()]);
  }

  async of(contactId: string): Promise<readonly string[]> {
    return replyWithin(this.#redis.zrange(this.#keys.customer(contactId), '0', '-1'));
  }

  async forgetUnknown(contactId: string, appointmentIds: readonly string[]): Promise<void> {
    if (appointmentIds.length === 0) return;
    const objects = appointmentIds.map((id) => this.#keys.object(formatKey({ kind: 'appointment', id })));
    await FORGET.run(this.#redis, [this.#keys.customer(contactId), ...objects], appointmentIds);
  }
}
