/** The terms of a source, as it states them. */
export type SourceTerms = {
  readonly id: string;
  readonly licence: string;
  /** `yes` if the licence lets the data be sold. */
  readonly resale: 'yes' | 'no' | 'unknown';
};

/** The use of a source's data, from the policy. */
type DataUse = {
  /** True for a store whose data are sold. */
  readonly commercial: boolean;
  /** The operator's written statement why the data may be sold. It counts only if the licence leaves that open. */
  readonly statement?: string | undefined;
};

/** Returns why data of a source must not be collected for this use, with the remedy; `undefined` if they may be. */
export function findLicenceRefusal(
  { id, licence, resale }: SourceTerms,
  { commercial, statement = '' }: DataUse,
): string | undefined {
  if (!commercial || resale === 'yes') return undefined;
  if (resale === 'no') {
    return `${id}: the licence (${licence}) does not allow the data to be sold, and the store is commercial. Use another source.`;
  }
  if (statement.trim() !== '') return undefined;
  return (
    `${id}: it is unknown whether the licence (${licence}) allows the data to be sold, and the store is commercial. ` +
    'Ask the source, and write its answer as the statement of the source in the policy.'
  );
}
