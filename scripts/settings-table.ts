import { readFileSync, writeFileSync } from 'node:fs'

// Writes the table of settings into docs/operations.md, from their declarations.
// By its address: this folder is a project of its own for the compiler.
const module = new URL('../backend/src/settings/table.ts', import.meta.url).href
const { settingsTable } = (await import(module)) as { settingsTable(): string }

const page = new URL('../docs/operations.md', import.meta.url)
const text = readFileSync(page, 'utf8')
const table = /^\| setting +\| holds[\s\S]*?(?=\n\n)/m
if (!table.test(text)) throw new Error('docs/operations.md has no table of settings')
writeFileSync(
  page,
  text.replace(table, () => settingsTable()),
)
