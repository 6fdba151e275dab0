// SPDX-License-Identifier: MIT
import js from '@eslint/js';
import globals from 'globals';

const rules = {
  'prefer-const': 'error',
  eqeqeq: 'error',
  'no-shadow': 'error',
  'no-unused-vars': ['error', { argsIgnorePattern: '^_' }],
};

// The page's two files are one script: what one defines the other uses.
export default [
  { ignores: ['node_modules/'] },
  js.configs.recommended,
  { files: ['**/*.mjs'], languageOptions: { globals: { ...globals.node, ...globals.browser } }, rules },
  {
    files: ['**/command.js'],
    languageOptions: { globals: globals.browser },
    rules: { ...rules, 'no-unused-vars': 'off' },
  },
  { files: ['**/page.js'], languageOptions: { globals: globals.browser }, rules },
];
