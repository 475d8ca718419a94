import path from 'node:path';
import { readPolicy } from '../../../generator/collect/policy.js';
import { findLicenceRefusal } from '../../../generator/core/collection/licence-guard.js';
import { AWS_FACTS, SONARX_FACTS } from '../../../generator/sources/aws/aws-facts.js';
import { createGrowthepie } from '../../../generator/sources/growthepie/growthepie.js';
import { CHAIN_IDS } from '../../../schemas/catalog.js';

const FILE = path.join(import.meta.dirname, '../../../templates/sources.policy.json');

describe('the recommended policy', () => {
  it('is valid, and collects every chain', async () => {
    expect(Object.keys((await readPolicy(FILE)).chains)).toEqual(CHAIN_IDS);
  });

  it('asks the operator for the terms of SonarX, and for no other', async () => {
    const { commercial = false } = await readPolicy(FILE);
    const refused = [AWS_FACTS, SONARX_FACTS, createGrowthepie().facts].filter(
      (facts) => findLicenceRefusal(facts, { commercial }) !== undefined,
    );
    expect(refused.map(({ id }) => id)).toEqual(['sonarx']);
    expect(
      findLicenceRefusal(SONARX_FACTS, { commercial, statement: 'letter of 2026-08-19' }),
    ).toBeUndefined();
  });
});
