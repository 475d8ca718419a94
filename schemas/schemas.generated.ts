// Generated from schemas/json by `npm run types:generate`. Do not edit.

import accountSchema from './json/account.schema.json' with { type: 'json' };
import aliasesSchema from './json/aliases.schema.json' with { type: 'json' };
import apiKeySchema from './json/api-key.schema.json' with { type: 'json' };
import briefDaySchema from './json/brief-day.schema.json' with { type: 'json' };
import bundleSchema from './json/bundle.schema.json' with { type: 'json' };
import changesSchema from './json/changes.schema.json' with { type: 'json' };
import chartEventsSchema from './json/chart-events.schema.json' with { type: 'json' };
import chartMetricsSchema from './json/chart-metrics.schema.json' with { type: 'json' };
import chartSchema from './json/chart.schema.json' with { type: 'json' };
import collectionStateSchema from './json/collection-state.schema.json' with { type: 'json' };
import collectionSchema from './json/collection.schema.json' with { type: 'json' };
import commonSchema from './json/common.schema.json' with { type: 'json' };
import dayLineageSchema from './json/day-lineage.schema.json' with { type: 'json' };
import derivedDaySchema from './json/derived-day.schema.json' with { type: 'json' };
import entitlementsSchema from './json/entitlements.schema.json' with { type: 'json' };
import eventsSchema from './json/events.schema.json' with { type: 'json' };
import featureSchemaSchema from './json/feature-schema.schema.json' with { type: 'json' };
import gcSchema from './json/gc.schema.json' with { type: 'json' };
import glossaryEntriesSchema from './json/glossary-entries.schema.json' with { type: 'json' };
import glossarySchema from './json/glossary.schema.json' with { type: 'json' };
import goldDaySchema from './json/gold-day.schema.json' with { type: 'json' };
import keyRecordSchema from './json/key-record.schema.json' with { type: 'json' };
import keySetSchema from './json/key-set.schema.json' with { type: 'json' };
import keyUsageSchema from './json/key-usage.schema.json' with { type: 'json' };
import landingSchema from './json/landing.schema.json' with { type: 'json' };
import ledgerLineSchema from './json/ledger-line.schema.json' with { type: 'json' };
import lineageSchema from './json/lineage.schema.json' with { type: 'json' };
import manifestSchema from './json/manifest.schema.json' with { type: 'json' };
import metaDaySchema from './json/meta-day.schema.json' with { type: 'json' };
import methodologyVersionsSchema from './json/methodology-versions.schema.json' with { type: 'json' };
import methodologySchema from './json/methodology.schema.json' with { type: 'json' };
import openapiSchema from './json/openapi.schema.json' with { type: 'json' };
import pointerSchema from './json/pointer.schema.json' with { type: 'json' };
import reasonSchema from './json/reason.schema.json' with { type: 'json' };
import refusalSchema from './json/refusal.schema.json' with { type: 'json' };
import regimeCalendarSchema from './json/regime-calendar.schema.json' with { type: 'json' };
import regimesSchema from './json/regimes.schema.json' with { type: 'json' };
import releaseRecordSchema from './json/release-record.schema.json' with { type: 'json' };
import releaseStatementSchema from './json/release-statement.schema.json' with { type: 'json' };
import releaseSchema from './json/release.schema.json' with { type: 'json' };
import releasesSchema from './json/releases.schema.json' with { type: 'json' };
import siteFilesSchema from './json/site-files.schema.json' with { type: 'json' };
import siteSchema from './json/site.schema.json' with { type: 'json' };
import sourcesPolicySchema from './json/sources-policy.schema.json' with { type: 'json' };
import sourcesSchema from './json/sources.schema.json' with { type: 'json' };
import statusSchema from './json/status.schema.json' with { type: 'json' };
import storeCheckSchema from './json/store-check.schema.json' with { type: 'json' };
import storeSchema from './json/store.schema.json' with { type: 'json' };
import summarySchema from './json/summary.schema.json' with { type: 'json' };
import textSchema from './json/text.schema.json' with { type: 'json' };
import thresholdsSchema from './json/thresholds.schema.json' with { type: 'json' };
import timestampSchema from './json/timestamp.schema.json' with { type: 'json' };
import volumeSchema from './json/volume.schema.json' with { type: 'json' };

/** Every JSON Schema of the contract by its name. */
export const SCHEMAS = {
  account: accountSchema,
  aliases: aliasesSchema,
  'api-key': apiKeySchema,
  'brief-day': briefDaySchema,
  bundle: bundleSchema,
  changes: changesSchema,
  'chart-events': chartEventsSchema,
  'chart-metrics': chartMetricsSchema,
  chart: chartSchema,
  'collection-state': collectionStateSchema,
  collection: collectionSchema,
  common: commonSchema,
  'day-lineage': dayLineageSchema,
  'derived-day': derivedDaySchema,
  entitlements: entitlementsSchema,
  events: eventsSchema,
  'feature-schema': featureSchemaSchema,
  gc: gcSchema,
  'glossary-entries': glossaryEntriesSchema,
  glossary: glossarySchema,
  'gold-day': goldDaySchema,
  'key-record': keyRecordSchema,
  'key-set': keySetSchema,
  'key-usage': keyUsageSchema,
  landing: landingSchema,
  'ledger-line': ledgerLineSchema,
  lineage: lineageSchema,
  manifest: manifestSchema,
  'meta-day': metaDaySchema,
  'methodology-versions': methodologyVersionsSchema,
  methodology: methodologySchema,
  openapi: openapiSchema,
  pointer: pointerSchema,
  reason: reasonSchema,
  refusal: refusalSchema,
  'regime-calendar': regimeCalendarSchema,
  regimes: regimesSchema,
  'release-record': releaseRecordSchema,
  'release-statement': releaseStatementSchema,
  release: releaseSchema,
  releases: releasesSchema,
  'site-files': siteFilesSchema,
  site: siteSchema,
  'sources-policy': sourcesPolicySchema,
  sources: sourcesSchema,
  status: statusSchema,
  'store-check': storeCheckSchema,
  store: storeSchema,
  summary: summarySchema,
  text: textSchema,
  thresholds: thresholdsSchema,
  timestamp: timestampSchema,
  volume: volumeSchema,
} as const;
