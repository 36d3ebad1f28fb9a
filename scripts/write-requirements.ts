/** Writes what follows from the titles of tests and from the prefixes of ids into docs/requirements.md. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readPrefixes, withGenerated } from './contract/requirements.ts'
import { scanTests } from './contract/sources.ts'

const root = join(import.meta.dirname, '..')
const path = join(root, 'docs/requirements.md')
writeFileSync(path, withGenerated(readFileSync(path, 'utf8'), scanTests(root), readPrefixes(root)))
