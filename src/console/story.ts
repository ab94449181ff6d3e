import { type EntityKey, isId, parseKey } from '../engine/domain/object.ts';
import { explain } from '../operate/explain.ts';
import { appointmentTimeOf } from './appointment-time.ts';
import { forEyes } from './eyes.ts';
import { troublePage } from './pages/messages.ts';
import { storyPage } from './pages/story.ts';
import type { ConsoleParts } from './parts.ts';
import { personOf } from './person.ts';
import type { Answer, Visit } from './visit.ts';

/** `/console/object/<kind>/<id>`: the story of one object. */
export async function answerStory(parts: ConsoleParts, visit: Visit): Promise<Answer> {
  const key = keyIn(visit.rest);
  if (key === undefined) return troublePage('missing', visit.words, visit.visitor.role);
  const [told, claim] = await Promise.all([
    explain(parts.story, key, visit.words.code),
    parts.story.view.peek(key),
  ]);
  const person = visit.may('see-people') ? personOf(claim) : undefined;
  const links = parts.hasGoogle && visit.may('see-people');
  const time = appointmentTimeOf(parts, claim?.snapshot, visit);
  return storyPage(forEyes(visit, told), visit, { person, links, time });
}

export function keyIn(text: string): EntityKey | undefined {
  const key = parseKey(text);
  return key !== undefined && isId(key.id) ? key : undefined;
}
