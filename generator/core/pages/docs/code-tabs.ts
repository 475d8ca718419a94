import type { GuideCode } from '../site-texts.js';

/** The tabs in their order, with the endings of their files. A `.sh` after another ending is a command for that tab. */
export const CODE_TABS = [
  { id: 'python', name: 'Python', endings: ['.py', '.py.sh'] },
  { id: 'curl', name: 'curl', endings: ['.sh'] },
  { id: 'javascript', name: 'JavaScript', endings: ['.mjs', '.mjs.sh'] },
] as const;

/** A tab of code in a template. */
export type CodeTab = {
  readonly id: string;
  readonly name: string;
  readonly label: string;
  readonly text: string;
};

/** Returns the code of a section in the order of the tabs. `title` names the blocks for assistive technology. */
export function toCodeTabs(codes: readonly GuideCode[], section: string, title: string): CodeTab[] {
  return CODE_TABS.flatMap(({ id, name, endings }) => {
    const code = codes.find(({ file }) => endings.some((ending) => file === section + ending));
    return code === undefined ? [] : [{ id, name, label: `${title}, ${name}`, text: code.text.trimEnd() }];
  });
}
