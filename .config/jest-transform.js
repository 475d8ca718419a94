import swc from '@swc/jest';

/**
 * Built-in objects that Jest gives to each module as constants. A global of Jest's sandbox is looked up in its context at
 * each use, which is slow. Not listed is what fake timers replace.
 */
export const BUILT_INS = [
  'Array',
  'BigInt',
  'JSON',
  'Map',
  'Math',
  'Number',
  'Object',
  'Promise',
  'Reflect',
  'Set',
  'String',
  'Symbol',
  'Uint8Array',
];

/** On the first line of a module, so that no line number changes. */
const CONSTANTS = `const { ${BUILT_INS.join(', ')} } = globalThis; `;

/** Transforms TypeScript with swc, with the built-in objects as constants of the module. */
export function createTransformer(options) {
  const transformer = swc.createTransformer(options);
  return {
    ...transformer,
    getCacheKey: (source, ...rest) => transformer.getCacheKey(CONSTANTS + source, ...rest),
    process: (source, ...rest) => transformer.process(CONSTANTS + source, ...rest),
    processAsync: (source, ...rest) => transformer.processAsync(CONSTANTS + source, ...rest),
  };
}

export default { createTransformer };
