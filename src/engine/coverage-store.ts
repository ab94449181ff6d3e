import type { Coverage, Hole, OpenWalk, WalkProof } from './coverage.ts';
import type { LeaseProof } from './leases.ts';
import { RedisStore, replyWithin, toNumber } from './redis-script.ts';
import { fencedSet } from './work-store.ts';

/**
 * The cursor store: one hash per source, and one of holes. Every write carries the lease under which it is made; a stale holder's write is
 * refused (false).
 */
export class CoverageStore extends RedisStore {
  async read(source: string): Promise<Coverage> {
    const [fields, holes] = await Promise.all([
      replyWithin(this.redis.hgetall(this.keys.coverage(source))),
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

  /** The walk reached its floor: moves the coverage and forgets the walk. */
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

  /** Adds a hole or replaces the one with the same id. */
  async putHole(hole: Hole): Promise<void> {
    await replyWithin(this.redis.hset(this.keys.holes, hole.id, JSON.stringify(hole)));
  }

  async removeHole(id: string): Promise<void> {
    await replyWithin(this.redis.hdel(this.keys.holes, id));
  }

  /** Closes the holes of a resync, under its lease. False if the lease no longer holds: all of them are still open. */
  async closeHoles(ids: readonly string[], lease: LeaseProof): Promise<boolean> {
    return fencedSet(this.parts, lease, { key: this.keys.holes, pairs: ids.flatMap((id) => [id, '']) });
  }

  async holes(): Promise<readonly Hole[]> {
    const texts = await replyWithin(this.redis.hvals(this.keys.holes));
    return texts.map(toHole).sort((a, b) => a.foundAtMs - b.foundAtMs);
  }

  async #set(source: string, lease: LeaseProof, pairs: readonly string[]): Promise<boolean> {
    return fencedSet(this.parts, lease, { key: this.keys.coverage(source), pairs });
  }
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
