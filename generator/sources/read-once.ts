/** Runs a reading once per name, and again only if it failed. Each name must always be used with one type. */
type ReadOnce = <T>(name: string, read: () => Promise<T>) => Promise<T>;

/** Creates a function that keeps its readings for as long as it lives. */
export function createReadOnce(): ReadOnce {
  const readings = new Map<string, Promise<unknown>>();
  return <T>(name: string, read: () => Promise<T>) => {
    const known = readings.get(name) as Promise<T> | undefined; // each name has one type
    if (known !== undefined) return known;
    const reading = read();
    readings.set(name, reading);
    void reading.catch(() => readings.delete(name));
    return reading;
  };
}
