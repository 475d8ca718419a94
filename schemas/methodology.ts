import { canonicalJson } from './canonical-json.js';
import { CHAIN_IDS, CHAINS, METRIC_NAMES, METRICS } from './catalog.js';
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
  const entries = [...assertValid('glossary-entries', glossary), ...namedFields()];
  return entries.sort(({ id: one }, { id: other }) => (one < other ? -1 : 1));
}

/** Returns the entries of the fields that are named after a metric or a chain. */
function namedFields(): GlossaryEntry[] {
  const ofMetrics = METRIC_NAMES.map((name) => ({
    name,
    definition: `In a gold day, the day's value of the metric ${name} as read, null when the day has no value. In a derived day, an object with the moving means, changes and rank of that metric.`,
    unit: METRICS[name].unit,
    appears_in: ['bundle', 'derived-day', 'gold-day'],
  }));
  const ofChains = CHAIN_IDS.map((name) => ({
    name,
    definition: `Data about ${CHAINS[name].name}. Absent when there is no data, for example because the chain was never published.`,
    unit: null,
    appears_in: ['changes', 'landing', 'status'],
  }));
  return [...ofMetrics, ...ofChains].map((field) => ({ id: `field.${field.name}`, kind: 'field', ...field }));
}

/** Returns the file URL of the text of a methodology version. */
export function methodologyTextUrl(version: string): URL {
  return new URL(`methodology/${version}.md`, productFile('schemas/'));
}
