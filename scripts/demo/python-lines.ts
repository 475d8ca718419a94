import { readProductTexts } from '../../generator/texts/product-texts.js';
import type { DemoGateway, DemoLine } from './demo-gateway.js';

/** Returns the commands that install the Python client of a gateway, and read subscriber files with it. */
export async function listPythonLines({
  url,
  keys,
}: Pick<DemoGateway, 'url' | 'keys'>): Promise<Omit<DemoLine, 'shows'>[]> {
  const { site } = await readProductTexts();
  return [
    {
      title: 'The Python client, in a virtual environment',
      line: `pip install "chain-reference-data[pandas,verify] @ ${url}${site.wheel}"`,
    },
    {
      title: 'The last 7 days of metrics, in Python with the Research key',
      line: `CRD_API_KEY=${keys.research} python3 -c 'import crd; print(crd.bundle("gold", "ethereum", "7d")[["date", "tx_count"]])'`,
    },
  ];
}
