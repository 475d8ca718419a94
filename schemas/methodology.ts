import { canonicalJson } from './canonical-json.js';
import { sha256Hex } from './digest.js';
import { productFile } from './product-file.js';
import type { GlossaryEntry, Methodology } from './types.generated.js';
import { assertValid } from './validate.js';
import glossary from './glossary.json' with { type: 'json' };
import v1 from './methodology/v1.json' with { type: 'json' };

/** Returns the methodology for new days. @throws SchemaError if its data is invalid. */
export function currentMethodology(): Methodology {
  return assertValid('methodology', v1);
}

/** Returns the SHA-256 of the RFC 8785 form of a methodology, by which records identify it. */
export function methodologyDigest(methodology: Methodology): string {
  return sha256Hex(canonicalJson(methodology));
}

/** Returns the glossary. @throws SchemaError if its data is invalid. */
export function glossaryEntries(): readonly GlossaryEntry[] {
  return assertValid('glossary-entries', glossary);
}

/** Returns the file URL of the text of a methodology version. */
export function methodologyTextUrl(version: string): URL {
  return new URL(`methodology/${version}.md`, productFile('schemas/'));
}
