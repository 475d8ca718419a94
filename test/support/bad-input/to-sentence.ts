/** Returns a remedy as a sentence, as the command line prints it. */
export function toSentence(remedy: string): string {
  return `${remedy.charAt(0).toUpperCase()}${remedy.slice(1)}.`;
}
