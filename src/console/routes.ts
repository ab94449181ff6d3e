import { forEyes } from './eyes.ts';
import { homePage } from './pages/home.ts';
import type { ConsoleParts } from './parts.ts';
import { answerStory } from './story.ts';
import type { Route } from './visit.ts';

/** Every route that needs a session, each with its right. `test/console/access.test.ts` asks each as every role. */
export function routesOf(parts: ConsoleParts): readonly Route[] {
  return [
    {
      ...{ method: 'GET', path: '/', right: 'see-state' },
      answer: async (visit) => homePage(forEyes(visit, await parts.status.read()), visit),
    },
    {
      ...{ method: 'GET', path: '/object/*', right: 'see-state' },
      answer: (visit) => answerStory(parts, visit),
    },
  ];
}
