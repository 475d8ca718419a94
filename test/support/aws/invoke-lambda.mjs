// Runs a Lambda bundle like AWS: imports it once, then invokes its handler with each event, a line of JSON on stdin.
import { createInterface } from 'node:readline';

const { handler } = await import(process.argv[2]);
const send = (message) => process.stdout.write(`@${JSON.stringify(message)}\n`); // the log goes to stdout too
send({ answer: {} }); // tells the test that the function has started
for await (const line of createInterface({ input: process.stdin })) {
  send({ answer: await handler(JSON.parse(line), { awsRequestId: 'an-id' }) });
}
