/**
 * Goes on with a value: at once when it is there, else when it comes. Most requests find all that they ask for in memory,
 * and a promise for each step would take as long as the steps.
 */
export function andThen<T, U>(value: T | Promise<T>, next: (value: T) => U | Promise<U>): U | Promise<U> {
  return value instanceof Promise ? value.then(next) : next(value);
}
