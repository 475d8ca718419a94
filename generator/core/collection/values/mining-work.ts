import { toQuotient } from './decimal.js';

/** A number of blocks with the same compact target, which is the field `bits` of their headers. */
type BlocksWithBits = { readonly bits: string; readonly blocks: bigint };

/** Target of difficulty 1. */
const EASIEST_TARGET = 0xffffn << 208n;
/** Hashes per block at difficulty 1, by convention. */
const HASHES = 1n << 32n;
const SECONDS_PER_DAY = 86_400n;
const TERA = 10n ** 12n;

type Fraction = { readonly numerator: bigint; readonly denominator: bigint };

/** Returns the mean difficulty of the blocks of a day. Precondition: at least one block. @throws RangeError */
export function meanDifficulty(groups: readonly BlocksWithBits[]): string {
  const { numerator, denominator } = sumOfDifficulties(groups);
  const blocks = groups.reduce((sum, group) => sum + group.blocks, 0n);
  return toQuotient(numerator, denominator * blocks);
}

/** Returns the mean hash rate of a day in TH/s, estimated from its blocks as 2^32 hashes per difficulty. @throws RangeError */
export function hashRate(groups: readonly BlocksWithBits[]): string {
  const { numerator, denominator } = sumOfDifficulties(groups);
  return toQuotient(numerator * HASHES, denominator * SECONDS_PER_DAY * TERA);
}

function sumOfDifficulties(groups: readonly BlocksWithBits[]): Fraction {
  return groups.reduce<Fraction>(
    ({ numerator, denominator }, { bits, blocks }) => {
      const target = toTarget(bits);
      return {
        numerator: numerator * target + blocks * EASIEST_TARGET * denominator,
        denominator: denominator * target,
      };
    },
    { numerator: 0n, denominator: 1n },
  );
}

/** Returns the target of `bits`: a byte with the number of bytes, then three bytes with the first ones, in hexadecimal. */
function toTarget(bits: string): bigint {
  if (!/^(0x)?[0-9a-f]{8}$/i.test(bits))
    throw new RangeError(`bits ${bits} are not four bytes in hexadecimal`);
  const value = BigInt(`0x${bits.slice(-8)}`);
  const mantissa = value & 0xffffffn;
  const shift = 8n * ((value >> 24n) - 3n);
  const target = shift < 0n ? mantissa >> -shift : mantissa << shift;
  if (target <= 0n || target > EASIEST_TARGET)
    throw new RangeError(`bits ${bits} are not a target of Bitcoin`);
  return target;
}
