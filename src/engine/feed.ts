import type { AppointmentFilter } from './mirror.ts';

/** A calendar of one resource, served as an iCalendar file for people without Google Calendar. */
export interface Feed {
  readonly name: string;
  readonly from: 'appointment';
  /** Name or id. */
  readonly resource: string;
  /** Here `since` is a window: appointments that started longer ago leave the feed. */
  readonly where: AppointmentFilter;
  /** Liquid templates; their values are plain text. */
  readonly event: {
    readonly title: string;
    readonly description: string | undefined;
    readonly location: string | undefined;
  };
}

/** One appointment as a feed shows it. */
export interface FeedEvent {
  /** ISO 8601. */
  readonly startsAt: string;
  readonly endsAt: string;
  readonly isTentative: boolean;
  readonly title: string;
  readonly description?: string;
  readonly location?: string;
}

/** The stored form: a changed event gets a higher sequence and another stamp (RFC 5545, 3.8.7.4 and 3.8.7.2). */
export interface KeptFeedEvent extends FeedEvent {
  readonly id: string;
  readonly sequence: number;
  readonly stampMs: number;
}
