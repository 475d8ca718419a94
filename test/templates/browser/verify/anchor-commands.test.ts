import { withAnchor } from '../../../../templates/browser/verify/anchor-commands.js';

const COMMAND = "crd verify https://data.example.com --trust 'SITE#THUMBPRINT'";

it.each([
  ['https://a.example#abc', "crd verify https://data.example.com --trust 'https://a.example#abc'"],
  ["a'; rm -r $HOME #$&", "crd verify https://data.example.com --trust 'a'\\''; rm -r $HOME #$&'"],
])('puts the anchor %s into a command as one word of the shell', (anchor, expected) => {
  expect(withAnchor(COMMAND, anchor)).toBe(expected);
});
