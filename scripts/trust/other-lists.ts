import { PUBLIC_PATHS } from '../../schemas/paths.js';
import { putStatement, type AttackPlan } from './attack-table.js';

/** A list of public files that its publisher signed, although it does not have its form. */
type OtherList = {
  readonly name: string;
  /** The statement about it, in the folder `forged`. */
  readonly file: string;
  readonly change: (list: string) => string;
};

const inFirst =
  (member: 'path' | 'bytes', value: string) =>
  (list: string): string =>
    list.replace(new RegExp(`"${member}":("[^"]*"|\\d+)`), `"${member}":${value}`);
const withFiles =
  (files: string) =>
  (list: string): string =>
    list.replace(/"files":\[.*\],"meth/, `"files":${files},"meth`);

export const OTHER_LISTS: readonly OtherList[] = Object.entries({
  'is not JSON': () => 'hello',
  'is null': () => 'null',
  'has no files': (list: string) => list.replace(/"files":\[.*\],"meth/, '"meth'),
  'has files that are null': withFiles('null'),
  'has an empty list of files': withFiles('[]'),
  'has a file without a digest': withFiles('[{"bytes":1,"path":"/"}]'),
  'has a file of -5 bytes': inFirst('bytes', '-5'),
  'has a file of 16 MiB and a byte': inFirst('bytes', '16777217'),
  'has a number of bytes as text': inFirst('bytes', '"5"'),
  'has a path without a slash': inFirst('path', '"robots.txt"'),
  'has a path of 1001 characters': inFirst('path', `"/${'a'.repeat(1_000)}"`),
  'has a repeated member': (list: string) => list.replace('{', '{"files":[],'),
  'has a space': (list: string) => list.replace(':', ': '),
  'has no revision': (list: string) => list.replace(/"published_revision":"[^"]*",/, ''),
}).map(([name, change]) => ({
  name: `the signed list of files ${name}`,
  file: `statement-of-list-that-${name.replace(/[^a-z0-9]+/gi, '-')}.jws`,
  change,
}));

/** Returns the attacks by publishers who sign something else in place of the list of files. */
export function listAttacks(list: string): AttackPlan[] {
  return OTHER_LISTS.map(({ name, file, change }) => ({
    name,
    changes: [{ put: PUBLIC_PATHS.release, text: change(list) }, putStatement(file)],
    fault: 'file-altered',
  }));
}

const LATER = '"published_revision":"9999-01-01.000001"';

/** Texts in place of a file, which name a later release or are no JSON that can name one. */
const NAMING: Readonly<Record<string, readonly [text: string, isNamed: boolean]>> = {
  'a later release and a number of 26 digits': [`{${LATER},"x":${'9'.repeat(26)}}`, true],
  'a later release and a number of 300 digits': [`{${LATER},"x":${'9'.repeat(300)}}`, true],
  'a later release and a number that is not finite': [`{${LATER},"x":${'9'.repeat(400)}}`, false],
  'a later release and a character in two escapes': [`{${LATER},"x":"\\ud83d\\ude00"}`, true],
  'a later release and half a character': [`{${LATER},"x":"\\ud800"}`, false],
  'a later release and half a character in a name': [`{${LATER},"\\udfff":1}`, false],
  'half a character as its release': ['{"published_revision":"\\ud800"}', false],
  'a later release in 32 levels': [`{${LATER},"x":${nested(31)}}`, true],
  'a later release in 33 levels': [`{${LATER},"x":${nested(32)}}`, false],
  'a later release twice': [`{${LATER},${LATER}}`, false],
  'a later release in a list': [`[{${LATER}}]`, false],
  'a later release as a number': ['{"published_revision":9999}', false],
};

/** Returns the attacks that put such texts in place of the status. */
export function namingAttacks(): AttackPlan[] {
  return Object.entries(NAMING).map(([name, [text, isNamed]]) => ({
    name: `a file is replaced by JSON that names ${name}`,
    changes: [{ put: PUBLIC_PATHS.status, text }],
    fault: isNamed ? 'mixed' : 'file-altered',
  }));
}

function nested(levels: number): string {
  return '['.repeat(levels) + ']'.repeat(levels);
}
