/** A fault found in a store, with the key of the object that has it. */
export type StoreFault = { readonly key: string; readonly message: string };
