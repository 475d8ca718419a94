/** An entry of a feed, unescaped. */
export type FeedEntry = {
  readonly id: string;
  readonly title: string;
  readonly published: string | undefined;
  readonly updated: string;
  readonly page: string;
  readonly category: string | undefined;
  readonly content: string;
};

/** Reads a feed in the form in which the generator writes it. */
export function readFeed(text: string): { readonly id: string; readonly entries: readonly FeedEntry[] } {
  const one = (source: string, pattern: RegExp): string | undefined => {
    const found = pattern.exec(source)?.[1];
    return found
      ?.replace(/&#x27;/g, "'")
      .replace(/&lt;/g, '<')
      .replace(/&gt;/g, '>')
      .replace(/&amp;/g, '&');
  };
  const entries = [...text.matchAll(/<entry>([\s\S]*?)<\/entry>/g)].map(([, source = '']) => ({
    id: one(source, /<id>(.*?)<\/id>/) ?? '',
    title: one(source, /<title>(.*?)<\/title>/) ?? '',
    published: one(source, /<published>(.*?)<\/published>/),
    updated: one(source, /<updated>(.*?)<\/updated>/) ?? '',
    page: one(source, /<link href="(.*?)"\/>/) ?? '',
    category: one(source, /<category term="(.*?)"\/>/),
    content: one(source, /<content type="text">([\s\S]*?)<\/content>/) ?? '',
  }));
  return { id: one(text, /<id>(.*?)<\/id>/) ?? '', entries };
}

/** An event of a calendar. Dates are `YYYY-MM-DD`, and `end` is exclusive. */
export type CalendarEvent = {
  readonly uid: string;
  readonly start: string;
  readonly end: string;
  readonly summary: string;
  readonly sequence: number;
};

/** Reads the events of an iCalendar file (RFC 5545). @throws Error if a line is too long or does not end with CRLF */
export function readCalendarEvents(text: string): CalendarEvent[] {
  const physical = text.split('\r\n');
  if (physical.pop() !== '' || physical.some((line) => line.includes('\n'))) throw new Error('not CRLF');
  const long = physical.find((line) => Buffer.byteLength(line) > 75);
  if (long !== undefined) throw new Error(`too long: ${long}`);
  const lines = text.replace(/\r\n[ \t]/g, '').split('\r\n');
  const events: Map<string, string>[] = [];
  for (const line of lines) {
    const [, name = '', value = ''] = /^([A-Z-]+)(?:;[^:]*)?:(.*)$/.exec(line) ?? [];
    if (line === 'BEGIN:VEVENT') events.push(new Map());
    else events.at(-1)?.set(name, value);
  }
  const date = (value = ''): string => value.replace(/^(\d{4})(\d{2})(\d{2})$/, '$1-$2-$3');
  return events.map((event) => ({
    uid: event.get('UID') ?? '',
    start: date(event.get('DTSTART')),
    end: date(event.get('DTEND')),
    summary: (event.get('SUMMARY') ?? '').replace(/\\([,;\\])/g, '$1'),
    sequence: Number(event.get('SEQUENCE')),
  }));
}
