/**
 * `npm run test:contract`: runs all tests and prints the state of each requirement of docs/requirements.md. With
 * `-- --results FILE` it reads the JSON report of an earlier run (`vitest run --reporter=json --outputFile=FILE`).
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { evaluateRequirements } from './evaluate.ts'
import { exitCodeOf, reportOf } from './report.ts'
import { parseRequirements } from './requirements.ts'
import { readResults } from './results.ts'
import { runTests } from './run-tests.ts'
import { scanTests } from './sources.ts'

const root = join(import.meta.dirname, '../..')
const { values } = parseArgs({ options: { results: { type: 'string' } } })

const requirements = parseRequirements(readFileSync(join(root, 'docs/requirements.md'), 'utf8'))
const { results } = values
const run =
  results === undefined ? await runTests(root, {}, 'inherit') : readResults(root, JSON.parse(readFileSync(results, 'utf8')))
const evaluation = evaluateRequirements(requirements, run, scanTests(root))
process.stdout.write(`\n${reportOf(evaluation)}\n`)
process.exitCode = exitCodeOf(evaluation)
