// SPDX-License-Identifier: MIT

/** What chromium.test.mjs loads into its page: makes the recorded calls there, and returns those that have another outcome. */

import * as frazil from './browser.mjs';
import { outcomeOf, reviver } from './outcome.mjs';

globalThis.differences = async (address) => {
  const lines = (await (await fetch(address)).text()).split('\n').filter(Boolean);
  const different = [];
  for (const line of lines) {
    const { of, layout, name, given, outcome } = JSON.parse(line, reviver);
    const found = outcomeOf(() => {
      const on = of === 'frazil' ? frazil : of === 'sno' ? frazil.sno : frazil.layout(layout);
      return on[name](...given);
    });
    if (found !== outcome) different.push(`${line.slice(0, 400)} but the browser: ${found.slice(0, 400)}`);
  }
  return { made: lines.length, different, names: Object.keys(frazil), version: frazil.version };
};
