import type { Coverage, Hole, OpenWalk } from '../domain/coverage.ts';
import type { CoverageStore, WalkProof } from '../ports/intake.ts';
import type { LeaseProof } from '../ports/leases.ts';
import type { RedisClient } from '../redis/redis-client.ts';
import { fencedSet } from './fenced-set.ts';
import type { KeySpace } from './key-space.ts';
import { replyWithin } from './script.ts';

/** The cursor store in Redis: one hash per source, and one of holes. */
export class RedisCoverageStore implements CoverageStore {
  readonly #redis: RedisClient;
  readonly #keys: KeySpace;

  constructor(parts: { redis: RedisClient; keys: KeySpace }) {
    this.#redis = parts.redis;
    this.#keys = parts.keys;
  }

  async read(source: string): Promise<Coverage> {
    const [fields, holes] = await Promise.all([
      replyWithin(this.#redis.hgetall(this.#keys.coverage(source))),
      this.holes(),
    ]);
    return {
      coveredUntilMs: toNumber(fields['covered']),
      provedAtMs: toNumber(fields['proved']),
      anchors: JSON.parse(fields['anchors'] ?? '[]') as string[],
      anchorAtMs: toNumber(fields['anchorAt']),
      open: (fields['walk'] ?? '') === '' ? undefined : toWalk(String(fields['walk'])),
      holes: holes.filter((hole) => hole.source === source),
    };
  }

  async saveWalk(source: string, walk: OpenWalk, lease: LeaseProof): Promise<boolean> {
    return this.#set(source, lease, ['walk', JSON.stringify(walk)]);
  }

  async closeWalk(source: string, proof: WalkProof, lease: LeaseProof): Promise<boolean> {
    return this.#set(source, lease, [
      'covered',
      String(proof.coveredUntilMs),
      'proved',
      String(proof.provedAtMs),
      'anchors',
      JSON.stringify(proof.anchors),
      'anchorAt',
      String(proof.anchorAtMs),
      'walk',
      '',
    ]);
  }

  async putHole(hole: Hole): Promise<void> {
    await replyWithin(this.#redis.hset(this.#keys.holes, hole.id, JSON.stringify(hole)));
  }

  async removeHole(id: string): Promise<void> {
    await replyWithin(this.#redis.hdel(this.#keys.holes, id));
  }

  async closeHoles(ids: readonly string[], lease: LeaseProof): Promise<boolean> {
    const parts = { redis: this.#redis, keys: this.#keys };
    return fencedSet(parts, lease, { key: this.#keys.holes, pairs: ids.flatMap((id) => [id, '']) });
  }

  async holes(): Promise<readonly Hole[]> {
    const texts = await replyWithin(this.#redis.hvals(this.#keys.holes));
    return texts.map(toHole).sort((a, b) => a.foundAtMs - b.foundAtMs);
  }

  async #set(source: string, lease: LeaseProof, pairs: readonly string[]): Promise<boolean> {
    const parts = { redis: this.#redis, keys: this.#keys };
    return fencedSet(parts, lease, { key: this.#keys.coverage(source), pairs });
  }
}

function toNumber(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Number(text);
}

/** JSON omits absent fields; the types require them as undefined. */
function toWalk(text: string): OpenWalk {
  const { topAtMs, position, ...rest } = JSON.parse(text) as OpenWalk;
  return { ...rest, topAtMs, position };
}

function toHole(text: string): Hole {
  const { fromMs, toMs, ...rest } = JSON.parse(text) as Hole;
  return { ...rest, fromMs, toMs };
}
