// The only place that checks roles. Every route names the right it requires; pages ask `may` what to show.
import { ROLES, type Role } from '../domain/role.ts';

/**
 * `see-state`: the state of the mirrors, by ids and codes. `see-people`: names, phones and e-mails, and searching by them. `act`: change
 * something. `see-acts`: who did what and why. `see-queues`: the engine of the queues.
 */
const LEAST: Readonly<Record<Right, Role>> = {
  'see-state': 'viewer',
  'see-people': 'desk',
  act: 'ops',
  'see-acts': 'ops',
  'see-queues': 'ops',
};

export type Right = 'see-state' | 'see-people' | 'act' | 'see-acts' | 'see-queues';

export function may(role: Role, right: Right): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(LEAST[right]);
}
