import { expect, test } from 'vitest';
import { abilitiesOf } from './abilities.ts';
import { SEEN } from './seen.ts';
import { describeVersion } from './servers/describe.ts';

for (const seen of SEEN) {
  describeVersion(seen, (start) => {
    test('every ability is still what was seen, and the server ends without a trace', async () => {
      const server = await start();
      try {
        expect(await abilitiesOf(server)).toEqual(seen.answers);
      } finally {
        await server.stop();
      }
      await expect(fetch(server.url)).rejects.toThrow('fetch failed');
    });
  });
}
