/** Time limits of one request. */
export type TransferLimits = {
  /** From the request until the headers of the answer. */
  readonly firstByteMs: number;
  /** Between two pieces of the body. */
  readonly idleMs: number;
  /** From the request until the end of the body, however steadily it drips. */
  readonly totalMs: number;
};

/** Watches the time that a request takes. */
type TransferWatch = {
  /** Aborted when a limit has passed. Its reason is a sentence's end, such as `no answer within 30 seconds`. */
  readonly signal: AbortSignal;
  /** Reports that bytes have arrived. */
  readonly progress: () => void;
  readonly stop: () => void;
};

/** Starts to watch a request. The caller must stop the watch. */
export function watchTransfer({ firstByteMs, idleMs, totalMs }: TransferLimits): TransferWatch {
  const controller = new AbortController();
  const expireAfter = (ms: number, what: string): NodeJS.Timeout =>
    setTimeout(() => controller.abort(`${what} ${ms / 1000} seconds`), ms);
  const whole = expireAfter(totalMs, 'no complete answer within');
  let stage = expireAfter(firstByteMs, 'no answer within');
  return {
    signal: controller.signal,
    progress() {
      clearTimeout(stage);
      stage = expireAfter(idleMs, 'no more bytes for');
    },
    stop() {
      clearTimeout(whole);
      clearTimeout(stage);
    },
  };
}
