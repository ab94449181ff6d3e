// Mirrors and bookings that the example YAML leaves out. docs/reference/configuration.md ends with them, and a test loads them.

export interface Sample {
  readonly what: string;
  readonly yaml: string;
}

export const SAMPLES: readonly Sample[] = [
  {
    what: 'Callback requests into a tab. `call` also has `started_at`, `answered_at`, `connected_at`, `ended_at` and `handled_by`.',
    yaml: `mirrors:
  leads:
    from: leads
    where: { status: [in_progress, completed, missed, scheduled] }
    sheet: { spreadsheet: 1AbC, tab: Leads, timezone: Europe/Berlin }
    columns:
      ID: "{{ id }}"
      Came: "{{ created_at | date: '%Y-%m-%d %H:%M' }}"
      Name: "{{ name }}"
      Phone: "{{ phone }}"
      Status: "{{ status }}"
      Seconds: "{{ call.duration_sec }}"
      Outcome: "{{ call.ai_outcome }}"
      Rating: "{{ rating }}"
      Handled: "{{ handled_at | date: '%Y-%m-%d %H:%M' }}"`,
  },
  {
    what: 'Conversations, and their messages, into tabs.',
    yaml: `mirrors:
  conversations:
    from: conversations
    where: { status: [open, closed, snoozed], channel: [web, telegram] }
    sheet: { spreadsheet: 1AbC, tab: Conversations, timezone: Europe/Berlin }
    columns:
      ID: "{{ id }}"
      Began: "{{ created_at | date: '%Y-%m-%d %H:%M' }}"
      Customer: "{{ customer_name }}"
      Channel: "{{ channel }}"
      Status: "{{ status }}"
      Messages: "{{ message_count }}"
      Last: "{{ last_message_at | date: '%Y-%m-%d %H:%M' }}"
      Closed: "{{ closed_reason }}"
  messages:
    from: messages
    where: { direction: [inbound, outbound], author_type: [customer, operator] }
    sheet: { spreadsheet: 1AbC, tab: Messages, timezone: Europe/Berlin }
    columns:
      ID: "{{ id }}"
      Conversation: "{{ conversation_id }}"
      When: "{{ created_at | date: '%Y-%m-%d %H:%M' }}"
      From: "{{ author_type }}"
      Text: "{{ text }}"
      Files: "{{ attachment_count }}"
      Status: "{{ status }}"
      Failure: "{{ failure.code }}"`,
  },
  {
    what: 'Contacts whose old rows move to an archive.',
    yaml: `mirrors:
  contacts:
    from: contacts
    where: { lifecycle: [lead, customer], status: [active, blocked] }
    sheet:
      spreadsheet: 1AbC
      tab: Contacts
      archive: { after: 400d, by: created_at, spreadsheet: 1XyZ, tab: Archive }
    columns: { ID: "{{ id }}", Name: "{{ name }}", Phone: "{{ phone }}" }`,
  },
  {
    what: 'Events that staff drop into their calendars become appointments. [Bookings](../bookings.md) says what becomes of what.',
    yaml: `mirrors:
  staff-calendars:
    from: appointments
    calendars: { map: { Anna Petrova: anna@clinic.example } }
    event: { title: "{{ service_name }}, {{ customer_name }}" }
bookings:
  walk-ins:
    from: { calendar: anna@clinic.example }
    when: { title: "#book *", organizer: ["@agency.example"] }
    service: "{{ title | service }}"
    duration: "{{ title | duration }}"
    customer:
      name: "{{ title | remove_first: '#book ' }}"
      phone: "{{ description | phone }}"
      email: "{{ description | email }}"
    comment: "{{ description }}"
    region: DE
    refused_color: tomato`,
  },
  {
    what: 'Rows that the front desk types become appointments.',
    yaml: `mirrors:
  staff-calendars:
    from: appointments
    calendars: { map: { Anna Petrova: anna@clinic.example } }
    event: { title: "{{ service_name }}, {{ customer_name }}" }
bookings:
  front-desk:
    from: { spreadsheet: 1AbC, tab: Front desk, date_format: d/M/yyyy H:mm }
    columns:
      service: Service
      starts_at: Start
      duration: Length
      resource: With
      branch: Branch
      guests: Guests
      name: Name
      phone: Phone
      email: E-mail
      comment: Comment
      ready: Ready
      cancel: Cancel
      id: Booking
      status: Status
      appointment: Appointment
      booked_at: Booked for
    region: DE
    staff_edits: { conflict: latest }`,
  },
];
