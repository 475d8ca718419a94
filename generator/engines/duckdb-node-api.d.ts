/** The used part of the optional package, so that the code compiles without it. */
declare module '@duckdb/node-api' {
  export function version(): string;

  export class DuckDBInstance {
    static create(path: string, options?: Readonly<Record<string, string>>): Promise<DuckDBInstance>;
    connect(): Promise<DuckDBConnection>;
    closeSync(): void;
  }

  export class DuckDBConnection {
    run(sql: string): Promise<unknown>;
    runAndReadAll(sql: string): Promise<{ getRowObjects(): Readonly<Record<string, unknown>>[] }>;
    interrupt(): void;
    closeSync(): void;
  }
}
