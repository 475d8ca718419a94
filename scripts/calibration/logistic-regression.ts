const TOLERANCE = 1e-10;
const MAX_STEPS = 50;

/**
 * Returns the maximum-likelihood coefficients of a logistic regression, without regularisation, by Newton's method.
 * Shape: one coefficient per element of a row; for an intercept, each row needs an element 1.
 * Precondition: one outcome per row, at least one row, all rows of the same length.
 * @throws Error if the likelihood has no single maximum: dependent columns, or classes that a plane separates.
 */
export function fitLogistic(rows: readonly (readonly number[])[], outcomes: readonly boolean[]): number[] {
  let coefficients = new Array<number>(rows[0]?.length ?? 0).fill(0);
  for (let step = 0; step < MAX_STEPS; step += 1) {
    const { gradient, curvature } = deriveLikelihood(rows, outcomes, coefficients);
    const move = solveLinear(curvature, gradient);
    coefficients = coefficients.map((value, i) => value + (move[i] ?? NaN));
    if (move.every((value) => Math.abs(value) < TOLERANCE)) return coefficients;
  }
  throw new Error(`logistic regression: no maximum within ${MAX_STEPS} steps`);
}

/** Returns the probability that a row's outcome is true. */
export function logisticProbability(row: readonly number[], coefficients: readonly number[]): number {
  const logit = row.reduce((sum, value, i) => sum + value * (coefficients[i] ?? NaN), 0);
  return 1 / (1 + Math.exp(-logit));
}

/** Returns the gradient and negated Hessian of the log likelihood. */
function deriveLikelihood(
  rows: readonly (readonly number[])[],
  outcomes: readonly boolean[],
  coefficients: readonly number[],
): { gradient: number[]; curvature: number[][] } {
  const gradient = coefficients.map(() => 0);
  const curvature = coefficients.map(() => coefficients.map(() => 0));
  rows.forEach((row, n) => {
    const probability = logisticProbability(row, coefficients);
    const residual = (outcomes[n] === true ? 1 : 0) - probability;
    const weight = probability * (1 - probability);
    row.forEach((value, i) => {
      gradient[i] = (gradient[i] ?? 0) + value * residual;
      const line = curvature[i] ?? [];
      row.forEach((other, j) => (line[j] = (line[j] ?? 0) + weight * value * other));
    });
  });
  return { gradient, curvature };
}

/** Solves a small symmetric positive definite system by Gaussian elimination. @throws Error for any other. */
function solveLinear(matrix: readonly (readonly number[])[], right: readonly number[]): number[] {
  const lines = matrix.map((line, i) => [...line, right[i] ?? NaN]);
  const size = lines.length;
  lines.forEach((pivotLine, i) => {
    const pivot = pivotLine[i] ?? NaN;
    if (!(pivot > Number.EPSILON)) throw new Error('logistic regression: no single maximum');
    for (const line of lines.slice(i + 1)) {
      const factor = (line[i] ?? NaN) / pivot;
      for (let j = i; j <= size; j += 1) line[j] = (line[j] ?? NaN) - factor * (pivotLine[j] ?? NaN);
    }
  });
  const solution = new Array<number>(size).fill(0);
  for (let i = size - 1; i >= 0; i -= 1) {
    const line = lines[i] ?? [];
    const known = solution.reduce((sum, value, j) => sum + (j > i ? value * (line[j] ?? NaN) : 0), 0);
    solution[i] = ((line[size] ?? NaN) - known) / (line[i] ?? NaN);
  }
  return solution;
}
