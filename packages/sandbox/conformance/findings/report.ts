/**
 * Everything that a reader with one key can learn about behaviour that the platform's document does not specify.
 * GETs only.
 */
import { Api } from '../stage/api.ts';
import type { Finding } from './finding.ts';
import { leadFindings, messageFindings, objectFindings } from './objects.ts';
import { orderFindings } from './order.ts';
import {
  emailCase,
  leadPaths,
  messageListErrors,
  rateLimit,
  unencodedPlus,
  unknownCursor,
  unknownPath,
} from './requests.ts';
import { windowFindings } from './windows.ts';

const QUESTIONS: readonly ((api: Api) => Promise<Finding | Finding[]>)[] = [
  rateLimit,
  unknownPath,
  unknownCursor,
  unencodedPlus,
  emailCase,
  leadPaths,
  messageListErrors,
  orderFindings,
  windowFindings,
  objectFindings,
  messageFindings,
  leadFindings,
];

export async function findings(server: { baseUrl: string; key: string }): Promise<Finding[]> {
  const api = new Api(server.baseUrl, server.key, { manners: { getsOnly: true, waitsOn429: true } });
  const learned: Finding[] = [];
  for (const ask of QUESTIONS) {
    try {
      learned.push(...[await ask(api)].flat());
    } catch (error) {
      // A question that this server cannot answer must not stop the others.
      learned.push({ about: ask.name, learned: `could not be learned: ${String(error)}` });
    }
  }
  return learned;
}

export function findingsText(learned: readonly Finding[]): string {
  return learned.map(({ about, learned: what }) => `  ${about}\n    ${what}`).join('\n');
}
