import { asNode, listOf, type Node, type Operation, type Resolver, textOf } from './api-schemas.js';

/** A request with the examples of an operation's parameters. `$NAME` in a header is a variable of the environment. */
type SampleRequest = {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON text, or nothing. */
  readonly body: string | undefined;
  /** Whether the answer is a text. */
  readonly isText: boolean;
};

/** Headers with which an operation is called, by the name of its security scheme. */
const CREDENTIALS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  BearerKey: { Authorization: 'Bearer $CRD_API_KEY' },
  ApiKey: { 'X-API-Key': '$CRD_API_KEY' },
  Session: { Authorization: 'Bearer $SESSION' },
};

/**
 * Returns the request of an operation. `address` has no slash at the end. `answer` is the sample of the answer: where it names
 * a chain, date or window, the request asks for this one.
 */
export function toSampleRequest(
  operation: Operation,
  address: string,
  answer: unknown,
  resolve: Resolver,
): SampleRequest {
  const named = namesIn(answer);
  const parameters = operation.parameters.map((each): Node => {
    const { name, example, ...rest } = resolve(each);
    return { ...rest, name, example: named[textOf(name)] ?? example };
  });
  const path = parameters
    .filter((each) => each['in'] === 'path')
    .reduce((rest, { name, example }) => rest.replace(`{${textOf(name)}}`, String(example)), operation.path);
  const query = parameters
    .filter((each) => each['in'] === 'query' && (each['required'] === true || each['name'] === 'redirect'))
    .map(({ name, example }) => `${textOf(name)}=${encodeURIComponent(String(example))}`);
  const isSigned = textOf(operation.node['operationId']) === 'takeEvent';
  const signature = parameters.filter((each) => isSigned && each['in'] === 'header');
  const [scheme = ''] = Object.keys(asNode(listOf(operation.security)[0]));
  const [media, content] = Object.entries(asNode(resolve(operation.node['requestBody'])['content']))[0] ?? [];
  return {
    method: operation.method,
    url: `${address}${path}${query.length === 0 ? '' : `?${query.join('&')}`}`,
    headers: {
      ...CREDENTIALS[scheme],
      ...Object.fromEntries(signature.map(({ name, example }) => [textOf(name), String(example)])),
      ...(media !== undefined && { 'Content-Type': media }),
    },
    body: media === undefined ? undefined : JSON.stringify(asNode(content)['example'] ?? {}),
    isText: isTextAnswer(operation.node, resolve),
  };
}

/** Returns the values of path parameters that a sample names: members of a document, or the chain of a text. */
function namesIn(answer: unknown): Readonly<Record<string, string>> {
  if (typeof answer === 'string') {
    const [chain] = /\b(bitcoin|ethereum|arbitrum|base)\b/i.exec(answer) ?? [];
    return chain === undefined ? {} : { chain: chain.toLowerCase() };
  }
  return Object.fromEntries(
    ['chain', 'date', 'window', 'genre'].flatMap((name) => {
      const value = textOf(asNode(answer)[name]);
      return value === '' ? [] : [[name, value]];
    }),
  );
}

function isTextAnswer(operation: Node, resolve: Resolver): boolean {
  const answers = Object.entries(asNode(operation['responses'])).filter(([status]) => /^2/.test(status));
  const media = answers.flatMap(([, answer]) => Object.keys(asNode(resolve(answer)['content'])));
  return !media.some((each) => /parquet|octet-stream|zip/.test(each));
}

/** Returns the program of a request in each language, with the id of its tab. */
export function toPrograms(request: SampleRequest): { id: string; name: string; text: string }[] {
  return [
    { id: 'curl', name: 'curl', text: toCurl(request) },
    { id: 'python', name: 'Python', text: toPython(request) },
    { id: 'javascript', name: 'JavaScript', text: toJavaScript(request) },
  ];
}

function toCurl({ method, url, headers, body, isText }: SampleRequest): string {
  return [
    `curl -sS --fail-with-body${method === 'GET' ? '' : ` -X ${method}`}${isText ? '' : ' -O'}`,
    ...Object.entries(headers).map(([name, value]) =>
      value.includes('$') ? `-H "${name}: ${value}"` : `-H '${name}: ${value}'`,
    ),
    ...(body === undefined ? [] : [`-d '${body}'`]),
    `"${url}"`,
  ].join(' \\\n  ');
}

const VARIABLE = /\$([A-Z_]+)/;

function toPython({ method, url, headers, body, isText }: SampleRequest): string {
  const texts = Object.entries(headers).map(([name, value]) => {
    const [place = '', variable = ''] = VARIABLE.exec(value) ?? [];
    const text =
      place === '' ? JSON.stringify(value) : `f"${value.replace(place, `{os.environ['${variable}']}`)}"`;
    return `        "${name}": ${place === value ? `os.environ["${variable}"]` : text},`;
  });
  const lines = [
    `    ${JSON.stringify(url)},`,
    ...(texts.length === 0 ? [] : ['    headers={', ...texts, '    },']),
    ...(body === undefined ? [] : [`    data=${JSON.stringify(body)},`]),
    '    timeout=60,',
  ];
  const usesVariable = Object.values(headers).some((value) => VARIABLE.test(value));
  return [
    ...(usesVariable ? ['import os', ''] : []),
    'import requests',
    '',
    `answer = requests.${method.toLowerCase()}(`,
    ...lines,
    ')',
    'answer.raise_for_status()',
    isText ? 'print(answer.text)' : 'print(len(answer.content))',
  ].join('\n');
}

function toJavaScript({ method, url, headers, body, isText }: SampleRequest): string {
  const texts = Object.entries(headers).map(([name, value]) => {
    const [place = '', variable = ''] = VARIABLE.exec(value) ?? [];
    const read = `process.env.${variable}`;
    const text = place === '' ? JSON.stringify(value) : `\`${value.replace(place, `\${${read}}`)}\``;
    return `    ${/^\w+$/.test(name) ? name : `'${name}'`}: ${place === value ? read : text},`;
  });
  const options = [
    ...(method === 'GET' ? [] : [`  method: '${method}',`]),
    ...(texts.length === 0 ? [] : ['  headers: {', ...texts, '  },']),
    ...(body === undefined ? [] : [`  body: ${JSON.stringify(body)},`]),
  ];
  return [
    options.length === 0
      ? `const answer = await fetch(${JSON.stringify(url)});`
      : [`const answer = await fetch(${JSON.stringify(url)}, {`, ...options, '});'].join('\n'),
    'if (!answer.ok) throw new Error(await answer.text());',
    isText ? 'const text = await answer.text();' : 'const bytes = await answer.arrayBuffer();',
  ].join('\n');
}
