import type { Band, Level } from '../../../schemas/types.generated.js';
import type { Column } from '../input/input-series.js';

/**
 * Computes levels with hysteresis: a level is entered at ±`enter` and left inside ±`exit`.
 * Shape: one level per z, same order. A missing z resets to 'normal': no evidence, no memory.
 * Precondition: 0 <= exit < enter. Source: methodology v1 §4 (hysteresis thresholding: Canny 1986).
 */
export function followLevels(z: Column, band: Band): Level[] {
  let level: Level = 'normal';
  return z.map((value) => (level = nextLevel(level, value, band)));
}

function nextLevel(level: Level, z: number | null, { enter, exit }: Band): Level {
  if (z === null) return 'normal';
  if (z >= enter) return 'high';
  if (z <= -enter) return 'low';
  if (level === 'high') return z < exit ? 'normal' : 'high';
  if (level === 'low') return z > -exit ? 'normal' : 'low';
  return 'normal';
}
