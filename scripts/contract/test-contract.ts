/**
 * `npm run test:contract`: runs all tests and prints what they make of each line of docs/requirements.md. With
 * `-- --results FILE` it reads the JSON report of a run that was (`vitest run --reporter=json --outputFile=FILE`).
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { judge } from './judge.ts'
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
const verdict = judge(requirements, run, scanTests(root))
process.stdout.write(`\n${reportOf(verdict)}\n`)
process.exitCode = exitCodeOf(verdict)
