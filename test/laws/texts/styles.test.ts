import { readdir, readFile } from 'node:fs/promises';

const FOLDER = new URL('../../../templates/pages/', import.meta.url);
const SHEETS = (await readdir(FOLDER)).filter((name) => name.endsWith('.css'));

it.each(SHEETS)(
  '%s gives no text a size in pixels, which ignores the font size that a reader has set',
  async (name) => {
    const css = await readFile(new URL(name, FOLDER), 'utf8');
    expect(css.match(/font(?:-size)?:[^;]*\dpx/g)).toBeNull();
  },
);
