import { metricsOf } from '../../../schemas/catalog.js';
import type { Chain, MetricName } from '../../../schemas/types.generated.js';
import { GeneratorError, RUN_AGAIN } from '../../core/generator-error.js';
import { isPriceName } from '../../core/input/input-series.js';
import { unitsOf } from './column-units.js';

/** The column of each metric, and its unit: one of `unitsOf`. */
type ColumnMapping = {
  readonly [metric in MetricName]?: { readonly column: string; readonly unit: string };
};

/** Places of the values of a chain. Each member overrides the one for all chains. */
export type ChainColumns = {
  /** Name of the file in the folder. Default: `<chain>.csv`. */
  readonly file?: string;
  /** Default: `date`. */
  readonly dateColumn?: string;
  /** Default: the columns that are named like a metric of the chain, in the units of the catalog. */
  readonly columns?: ColumnMapping;
};

/** A column to read. `exponent` is the power of ten that converts its numbers to the catalog's unit. */
export type MappedColumn = {
  readonly metric: MetricName;
  readonly column: string;
  readonly unit: string;
  readonly exponent: number;
};

/** A file to read. */
export type MappedFile = {
  readonly file: string;
  readonly dateColumn: string;
  readonly columns: readonly MappedColumn[];
  /** False if a column may be missing: the mapping is the one of the product. */
  readonly isExact: boolean;
};

/**
 * Returns the file and columns of a chain.
 * @throws GeneratorError 'usage' for an unknown unit, a metric that the chain does not have, or a path.
 */
export function mapChain(
  source: string,
  chain: Chain,
  common: ChainColumns,
  own: ChainColumns = {},
): MappedFile {
  const { file = `${chain}.csv`, dateColumn = 'date', columns } = { ...common, ...own };
  const fail = (what: string, remedy: string): never => {
    throw new GeneratorError('usage', `${source}: ${chain}: ${what}. ${remedy} in the policy.`, {
      next: RUN_AGAIN,
    });
  };
  if (!/^[^/\\]*[^/\\.][^/\\]*$/.test(file))
    fail(`"${file}" is not the name of a file`, 'Name a file of the folder');
  const supported = metricsOf(chain);
  if (columns === undefined) return { file, dateColumn, columns: supported.map(toOwnColumn), isExact: false };
  const foreign = (Object.keys(own.columns ?? {}) as MetricName[]).find(
    (metric) => !supported.includes(metric),
  ); // Object.keys loses the key type
  if (foreign !== undefined) fail(`there is no metric "${foreign}"`, `Use ${supported.join(', ')}`);
  const mapped = supported.flatMap((metric) => {
    const entry = columns[metric];
    if (entry === undefined) return [];
    const { column, unit } = entry;
    const units = unitsOf(chain, metric);
    const exponent = Object.hasOwn(units, unit) ? units[unit] : undefined;
    if (exponent !== undefined) return [{ metric, column, unit, exponent }];
    return fail(`${metric} has the unknown unit "${unit}"`, `Use ${Object.keys(units).join(', ')}`);
  });
  return { file, dateColumn, columns: mapped, isExact: true };
}

function toOwnColumn(metric: MetricName): MappedColumn {
  return { metric, column: metric, unit: 'of the catalog', exponent: 0 };
}

/**
 * Passes for a mapping without a column that is named like a price. The price of gas is a metric.
 * @throws GeneratorError 'usage'
 */
export function assertNoPrices(source: string, columns: ColumnMapping): void {
  for (const [metric, { column }] of Object.entries(columns)) {
    const name = metric === 'gas_price_mean' ? column.replace(/gas[ _-]?price/i, '') : column;
    if (isPriceName(name)) {
      throw new GeneratorError(
        'usage',
        `${source}: the column "${column}" of ${metric} looks like a price, and this service carries none. ` +
          'Remove it in the policy.',
        { next: RUN_AGAIN },
      );
    }
  }
}
