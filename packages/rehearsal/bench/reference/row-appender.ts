import { defaultAccount, GoogleSandbox } from '@slotbridge/sandbox/google/sandbox';

const BOOK = 'reference-office';
const MINUTE_MS = 60_000;

/**
 * Sends one `values.append` per row, as common automation tools fill a sheet. Google's quota limits its speed: within one minute
 * of a stopped clock, Google takes some of the rows and refuses the others. Returns rows per write request and rows per minute.
 */
export async function appendRowByRow(rows: number): Promise<{ perWrite: number; perMinute: number }> {
  const clock = { now: () => MINUTE_MS };
  const google = await GoogleSandbox.start({ clock });
  try {
    google.addSpreadsheet(BOOK, { shareWith: [defaultAccount], tabs: [{ title: 'Contacts' }] });
    const token = google.accessToken();
    let taken = 0;
    for (let row = 0; row < rows; row += 1) {
      const answer = await fetch(
        `${google.url}/v4/spreadsheets/${BOOK}/values/Contacts:append?valueInputOption=RAW`,
        {
          method: 'POST',
          headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
          body: JSON.stringify({ values: [[`contact ${row}`, 'Vera Orlova', '+74950001101']] }),
        },
      );
      await answer.arrayBuffer();
      if (answer.ok) taken += 1;
      else if (answer.status !== 429) throw new Error(`the sandbox refuses a row with ${answer.status}`);
    }
    const standing = google.truth.values(BOOK, 'Contacts').length;
    if (standing !== taken) throw new Error(`${taken} rows were taken and ${standing} stand in the tab`);
    return { perWrite: 1, perMinute: taken };
  } finally {
    await google.close();
  }
}
