// Holds the directions of import and the borders of the packages; part of `lint`. The rules are in imports/rules.ts.
import { join } from 'node:path'
import { checkPlaces, checkTree } from './imports/check.ts'

const root = process.argv[2] ?? join(import.meta.dirname, '..')
const findings = [...checkTree(root), ...checkPlaces(root)]
for (const { path, line, rule, message } of findings) console.error(`${path}:${line} ${rule}: ${message}`)
console.log(`imports: ${findings.length === 0 ? 'clean' : `${findings.length} refused`}`)
process.exitCode = findings.length === 0 ? 0 : 1
