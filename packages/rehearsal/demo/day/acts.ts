import {
  confirmPlace,
  declinePlace,
  holdPlace,
  linkContact,
  markAppointment,
  spoilUpdatedAt,
  touchSilently,
} from './attendance.ts';
import {
  bookByWidget,
  bookForContact,
  bookForGuest,
  cancelByApi,
  cancelByStaff,
  changeYourMind,
  moveByApi,
  moveByStaff,
  moveToColleague,
} from './bookings.ts';
import type { Act } from './cast.ts';
import { closeChat, customerWrites, escalateChat, reopenChat, staffReply } from './chats.ts';
import { blockOrArchive, changeContact, deleteContact, meetContact, mergeContacts } from './contacts.ts';
import { carryLeadOn, orderCall } from './leads.ts';

/** Acts and their relative frequencies. */
export const ACTS: readonly (readonly [share: number, act: Act])[] = [
  [12, bookForContact],
  [8, bookForGuest],
  [6, bookByWidget],
  [14, moveByApi],
  [8, moveToColleague],
  [4, moveByStaff],
  [7, cancelByApi],
  [3, cancelByStaff],
  [9, markAppointment],
  [4, holdPlace],
  [3, confirmPlace],
  [2, declinePlace],
  [4, linkContact],
  [6, meetContact],
  [10, changeContact],
  [2, blockOrArchive],
  [2, deleteContact],
  [1, mergeContacts],
  [3, touchSilently],
  [1, spoilUpdatedAt],
  [5, changeYourMind],
  [6, customerWrites],
  [4, staffReply],
  [3, closeChat],
  [2, reopenChat],
  [2, escalateChat],
  [4, orderCall],
  [7, carryLeadOn],
];
