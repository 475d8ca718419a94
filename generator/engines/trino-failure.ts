import { EngineError } from './engine.js';

/** Trino's names of errors about tables that are not as the query expects. Athena's reasons begin with them too. */
const SHAPE_ERRORS: readonly string[] = [
  'AMBIGUOUS_NAME',
  'CATALOG_NOT_FOUND',
  'COLUMN_NOT_FOUND',
  'COLUMN_TYPE_UNKNOWN',
  'FUNCTION_NOT_FOUND',
  'HIVE_BAD_DATA',
  'HIVE_INVALID_METADATA',
  'HIVE_PARTITION_SCHEMA_MISMATCH',
  'INVALID_CAST_ARGUMENT',
  'MISSING_CATALOG_NAME',
  'MISSING_SCHEMA_NAME',
  'NUMERIC_VALUE_OUT_OF_RANGE',
  'SCHEMA_NOT_FOUND',
  'TABLE_NOT_FOUND',
  'TYPE_MISMATCH',
];

/** Returns the error of a failed query. `name` is Trino's name of the error. */
export function toFailure(engine: string, name: string, message: string): EngineError {
  const line = message.replace(/\p{C}+/gu, ' ').trim();
  const text = line.startsWith(name) ? line : `${name}: ${line}`;
  const code = SHAPE_ERRORS.includes(name) ? 'shape' : 'failed';
  return new EngineError(code, `${engine}: ${text.slice(0, 500)}`);
}

/** Returns the error of a column that is not text. */
export function notText(column: string): EngineError {
  return new EngineError('shape', `Column ${column} of the result is not text.`);
}
