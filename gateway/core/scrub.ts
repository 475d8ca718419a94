/** What a secret looks like wherever it stands: an API key, a JSON Web Token, the query of a signed URL. */
const SECRETS = [
  /crd_(?:live|test)_[0-9A-Za-z]{8}_[0-9A-Za-z]+/g,
  /\beyJ[\w-]+\.[\w-]+\.[\w-]*/g,
  /\?[^\s"']*(?:X-Amz-|signature=)[^\s"']*/gi,
];

/**
 * Takes secrets out of a text for the log: keys, tokens, signed URLs, and the names and secrets that are given, such as
 * that of a bucket. Other text stays as it is.
 */
export function createScrubber(names: readonly string[]): (text: string) => string {
  const given = names.filter((name) => name !== '').sort((one, other) => other.length - one.length);
  return (text) => {
    let scrubbed = text;
    for (const name of given) scrubbed = scrubbed.replaceAll(name, '[hidden]');
    for (const secret of SECRETS) scrubbed = scrubbed.replace(secret, '[hidden]');
    return scrubbed;
  };
}
