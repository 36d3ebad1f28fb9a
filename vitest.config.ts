import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['{shared,agent,backend,dashboard,scripts,bench,installers}/**/*.test.ts'],
    exclude: ['**/node_modules/**', '**/dist/**', '.tsc/**'],
    reporters: ['default', './scripts/total-reporter.ts'],
    testTimeout: 20_000,
    hookTimeout: 60_000,
  },
})
