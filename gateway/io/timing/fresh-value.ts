import { createFreshValues, type FreshValues, type FreshValuesOptions } from './fresh-values.js';

/** Options for `createFreshValue`. */
type FreshValueOptions<T> = Omit<FreshValuesOptions<T>, 'max' | 'load'> & {
  readonly load: () => Promise<T>;
};

/** One value, with the methods of `FreshValues`. */
type FreshValue<T> = {
  readonly peek: () => ReturnType<FreshValues<T>['peek']>;
  readonly read: (maxAgeMs?: number) => Promise<T>;
};

const KEY = 'value';

/** Creates a value that is loaded when it is first read and kept fresh while it is used. */
export function createFreshValue<T>({ load, ...options }: FreshValueOptions<T>): FreshValue<T> {
  const values = createFreshValues({ ...options, max: 1, load: () => load() });
  return { peek: () => values.peek(KEY), read: (maxAgeMs) => values.read(KEY, maxAgeMs) };
}
