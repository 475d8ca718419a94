/** A fault that ends the reading of an input file. Lines and columns count from 1. */
export class FileFaultError extends Error {
  readonly line: number | undefined;
  readonly column: number | undefined;
  readonly remedy: string;

  constructor(message: string, remedy: string, at: { readonly line?: number; readonly column?: number } = {}) {
    super(message);
    this.remedy = remedy;
    this.line = at.line;
    this.column = at.column;
  }
}
