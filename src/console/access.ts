// The only place that checks roles. Every route names the right it requires; pages ask `may` what to show.
import { ROLES, type Role } from '../engine/role.ts';

/**
 * `see-state`: the state of the mirrors, by ids and codes. `see-people`: names, phones and e-mails, and searching by them. `act`: change
 * something. `see-acts`: who did what and why.
 */
const LEAST: Readonly<Record<Right, Role>> = {
  'see-state': 'viewer',
  'see-people': 'desk',
  act: 'ops',
  'see-acts': 'ops',
};

export type Right = 'see-state' | 'see-people' | 'act' | 'see-acts';

export function may(role: Role, right: Right): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(LEAST[right]);
}
