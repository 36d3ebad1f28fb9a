/** Writes what follows from the titles of tests and from the prefixes of ids into docs/requirements.md. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseRequirements, readPrefixes, withGenerated } from './contract/requirements.ts'
import { scanTests } from './contract/sources.ts'

const root = join(import.meta.dirname, '..')
const path = join(root, 'docs/requirements.md')
const written = withGenerated(readFileSync(path, 'utf8'), scanTests(root), readPrefixes(root))
// Throws where two tests have one id.
parseRequirements(written)
writeFileSync(path, written)
