import type { RenderParts } from '../cli/render.ts';
import { filtersByCustomer } from '../engine/domain/mirror.ts';
import type { EntityKey, Snapshot } from '../engine/domain/object.ts';
import type { Clock } from '../engine/ports/runtime.ts';
import { SILENT, UNCOUNTED } from '../engine/ports/runtime.ts';
import type { Config } from '../mapping/config.ts';
import { createCustomers } from '../mapping/filter/customers.ts';
import { findObject, renderObject, renderSample } from '../operate/render/rendering.ts';
import { createPlatformClient } from '../platform/client.ts';

/** Rendering ignores stored contacts and reads the customer from the platform. */
const UNKNOWN = { peek: async () => undefined };

/** What `slotbridge render` needs. A sample needs nothing; an object needs the platform, and Redis if its kind cannot be read alone. */
export function renderCommandWiring(clock: Clock): RenderParts['wiring'] {
  return {
    renderSample: async (mirror) => renderSample(mirror),
    async renderObject(config, { mirror, key, showPeople }) {
      const { baseUrl, apiKey, timeoutMs } = config.platform;
      const runtime = { clock, log: SILENT, meter: UNCOUNTED };
      const { reader } = createPlatformClient({ baseUrl, apiKey, timeoutMs, ...runtime });
      const remembered = (asked: EntityKey) => readRemembered(asked, config, clock);
      const [snapshot, directory] = await Promise.all([
        findObject(key, { reader, remembered }),
        reader.directory(),
      ]);
      const isAsked = filtersByCustomer([mirror]);
      const customer = isAsked ? await createCustomers({ view: UNKNOWN, reader })(snapshot) : undefined;
      const object = { key, snapshot, directory, customer };
      return renderObject(mirror, object, { nowMs: clock.now(), showPeople });
    },
  };
}

async function readRemembered(key: EntityKey, config: Config, clock: Clock): Promise<Snapshot | undefined> {
  const { openStore } = await import('./stores.ts');
  const store = await openStore(config, clock, { sharing: true });
  try {
    return (await store.ledger.peek(key))?.snapshot;
  } finally {
    await store.close();
  }
}
