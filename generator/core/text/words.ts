/** The forms of texts and numbers, which the day pages of the gateway have too. */
export * from '../../../schemas/words.js';
