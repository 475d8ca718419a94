import { parseInstant, toInstant } from '../../schemas/dates.js';
import type { ReleaseRecord } from '../../schemas/types.generated.js';
import { GeneratorError } from '../core/generator-error.js';
import type { InputFault } from '../core/input/input-fault.js';
import { count } from '../core/text/count.js';
import { withoutOption, wordsOfOption } from '../../infra/process/shell-command.js';
import type { Input } from '../input/read-input.js';
import { isUnfinished } from '../state/future-release.js';
import { isAhead, type TrustedClock } from '../state/trusted-clock.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** More full hours than these between two releases suggest that a clock jumped: a day, and half a day to spare. */
const JUMP_HOURS = 36;

/** Throws GeneratorError 'usage' if an as-of instant is before the current release. `own` is this machine's clock. */
export function assertNotBefore(
  asOfMs: number,
  current: ReleaseRecord,
  clock: TrustedClock,
  own: TrustedClock,
): void {
  const { revision, published_at: publishedAt } = current;
  if (toInstant(asOfMs) >= publishedAt) return;
  const isBehind = isAhead(clock.nowMs, own);
  const remedy = isBehind
    ? `This machine's clock is ${count(Math.round((clock.nowMs - own.nowMs) / MINUTE_MS), 'minute')} behind ${clock.name}: set it, and run again.`
    : 'Use that instant or a later one.';
  throw new GeneratorError(
    'usage',
    isAhead(publishedAt, clock)
      ? `The current release ${revision} is from the future: it was published at ${publishedAt}, but ${clock.name} shows ${toInstant(clock.nowMs)}. Nothing was published. ${sentence(clock.caution)}"Release from the future" in generator/RUNBOOK.md says what to do now; after ${publishedAt}, publish works again.`
      : `--as-of ${toInstant(asOfMs)} is before the current release, published at ${publishedAt}. ${remedy}`,
    {
      next: (args) =>
        isAhead(publishedAt, clock)
          ? ['status', ...wordsOfOption(args, '--store')]
          : isBehind
            ? args
            : [...withoutOption(args, '--as-of'), '--as-of', publishedAt],
    },
  );
}

/** Returns a phrase as a sentence, with the space after it. */
function sentence(phrase = ''): string {
  return phrase === '' ? '' : `${phrase.charAt(0).toUpperCase()}${phrase.slice(1)}. `;
}

/** Moves the chains whose newest date has not ended by the clock from the series to the faults. */
export function withoutUnfinished(input: Input, clock: TrustedClock): Input {
  const unfinished = input.series.filter(({ dates }) => {
    const newest = dates.at(-1);
    return newest !== undefined && isUnfinished(newest, clock);
  });
  if (unfinished.length === 0) return input;
  const faults = unfinished.map(({ chain, dates }): InputFault => ({
    chain,
    file: `${chain}.csv`,
    message: `date ${dates.at(-1) ?? ''} has not ended by ${clock.name}, ${toInstant(clock.nowMs)}`,
    remedy: `${sentence(clock.caution)}Remove the row until the day has ended, and check the clock of the machine that wrote it`,
  }));
  return {
    ...input,
    series: input.series.filter((series) => !unfinished.includes(series)),
    faults: [...input.faults, ...faults],
    invalid: [...input.invalid, ...unfinished.map(({ chain }) => chain)],
  };
}

/**
 * Returns a warning if this release is dated so long after the current one that the machine's clock may have jumped;
 * otherwise `undefined`. For a store without a clock of its own, which cannot refuse such a release.
 */
export function describeJump(current: ReleaseRecord | undefined, asOfMs: number): string | undefined {
  const hours = Math.floor((asOfMs - (parseInstant(current?.published_at ?? '') ?? NaN)) / HOUR_MS);
  if (!(hours > JUMP_HOURS)) return undefined;
  return `This release is dated ${toInstant(asOfMs)}, ${count(hours, 'hour')} after the one before it, and a directory store has no clock to compare with. If that is wrong, set this machine's clock and read "Release from the future" in generator/RUNBOOK.md.`;
}
