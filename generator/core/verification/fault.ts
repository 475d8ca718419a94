/** One thing that is wrong with a store, and the key that it was found at. */
export type StoreFault = { readonly key: string; readonly message: string };
