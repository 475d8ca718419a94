// Runs queries on PostgreSQL in WebAssembly, and prints the rows or the error of each as JSON: run.mjs ENGINE REQUEST.
import { readFile } from 'node:fs/promises';
import { PGlite } from '@electric-sql/pglite';

const { tables, queries } = JSON.parse(await readFile(process.argv[3], 'utf8'));
const database = await PGlite.create();
for (const [name, { csv, columns }] of Object.entries(tables)) {
  const typed = Object.entries(columns).map(
    ([column, type]) => `"${column}" ${type === 'DOUBLE' ? 'DOUBLE PRECISION' : type}`,
  );
  await database.exec(`CREATE TABLE ${name} (${typed.join(', ')})`);
  const blob = new Blob([await readFile(csv)]);
  await database.query(`COPY ${name} FROM '/dev/blob' WITH (FORMAT csv, HEADER true)`, [], { blob });
}
const answers = [];
for (const sql of queries) {
  try {
    const { rows } = await database.query(sql, [], { rowMode: 'array' });
    answers.push({ rows });
  } catch (error) {
    answers.push({ error: error.message });
  }
}
process.stdout.write(JSON.stringify(answers));
await database.close();
