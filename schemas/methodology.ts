import { canonicalJson } from './canonical-json.js';
import { sha256Hex } from './digest.js';
import type { GlossaryEntry, Methodology } from './types.generated.js';
import { assertValid } from './validate.js';
import glossary from './glossary.json' with { type: 'json' };
import v1 from './methodology/v1.json' with { type: 'json' };

/** The methodology that new days are made with. @throws SchemaError when its data is invalid. */
export function currentMethodology(): Methodology {
  return assertValid('methodology', v1);
}

/** SHA-256 of the RFC 8785 form of a methodology's data: what a record names it by. */
export function methodologyDigest(methodology: Methodology): string {
  return sha256Hex(canonicalJson(methodology));
}

/** The entries of the glossary. @throws SchemaError when its data is invalid. */
export function glossaryEntries(): readonly GlossaryEntry[] {
  return assertValid('glossary-entries', glossary);
}

/** Where the text of a methodology version lies. */
export function methodologyTextUrl(version: string): URL {
  return new URL(`./methodology/${version}.md`, import.meta.url);
}
