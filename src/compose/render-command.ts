import type { RenderParts } from '../cli/render.ts';
import type { Config } from '../config/config.ts';
import { type EntityKey, formatKey, isReadable } from '../domain/entity.ts';
import { TerminalError } from '../domain/errors.ts';
import { asksForCustomers } from '../domain/mirror.ts';
import type { Snapshot } from '../domain/snapshot.ts';
import { createCustomers } from '../mirrors/filter/customers.ts';
import { renderObject, renderSample } from '../operator/render/rendering.ts';
import { createPlatformClient } from '../platform/client.ts';
import type { PlatformReader } from '../ports/platform.ts';
import type { Clock } from '../ports/runtime.ts';
import { SILENT, UNCOUNTED } from '../ports/runtime.ts';

/** Nothing is remembered for a look. */
const UNKNOWN = { peek: async () => undefined };

/** What `slotbridge render` needs: nothing for a sample; the platform for an object, and Redis for what cannot be read alone. */
export function renderCommandWiring(clock: Clock): RenderParts['wiring'] {
  return {
    renderSample: async (mirror) => renderSample(mirror),
    async renderObject(config, { mirror, key, showPeople }) {
      const { baseUrl, apiKey, timeoutMs } = config.platform;
      const runtime = { clock, log: SILENT, meter: UNCOUNTED };
      const { reader } = createPlatformClient({ baseUrl, apiKey, timeoutMs, ...runtime });
      const [snapshot, directory] = await Promise.all([
        find(key, { config, reader, clock }),
        reader.directory(),
      ]);
      const isAsked = asksForCustomers([mirror]);
      const customer = isAsked ? await createCustomers({ view: UNKNOWN, reader })(snapshot) : undefined;
      const object = { key, snapshot, directory, customer };
      return renderObject(mirror, object, { nowMs: clock.now(), showPeople });
    },
  };
}

async function find(
  key: EntityKey,
  { config, reader, clock }: { config: Config; reader: PlatformReader; clock: Clock },
): Promise<Snapshot> {
  const snapshot = isReadable(key.kind) ? await reader.get(key) : await remembered(key, config, clock);
  if (snapshot !== undefined) return snapshot;
  const who = isReadable(key.kind) ? 'the platform does not show' : 'nothing is known here of';
  throw new TerminalError('object-unknown', `${who} ${formatKey(key)}`, {
    advice: 'Look at the id, and whether the API key covers its project; or take --sample.',
  });
}

/** The platform shows no single lead or message: the newest that was received counts. */
async function remembered(key: EntityKey, config: Config, clock: Clock): Promise<Snapshot | undefined> {
  const { openStore } = await import('./stores.ts');
  const store = await openStore(config, clock, { sharing: true });
  try {
    return (await store.ledger.peek(key))?.snapshot;
  } finally {
    await store.close();
  }
}
