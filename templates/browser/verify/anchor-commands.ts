/** Placeholder for the trust anchor in the commands of the page. */
const PLACEHOLDER = "'SITE#THUMBPRINT'";

/** Returns a command of the page with this trust anchor, quoted for a POSIX shell. */
export function withAnchor(command: string, anchor: string): string {
  const quoted = `'${anchor.replaceAll("'", "'\\''")}'`;
  return command.replace(PLACEHOLDER, () => quoted); // a function, because `$` has a meaning in texts
}
