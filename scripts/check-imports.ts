// Holds the directions of import and the borders of the packages; part of `lint`. The rules are in imports/rules.ts.
import { join } from 'node:path'
import { checkTree } from './imports/check.ts'

const findings = checkTree(process.argv[2] ?? join(import.meta.dirname, '..'))
for (const { path, line, rule, message } of findings) console.error(`${path}:${line} ${rule}: ${message}`)
console.log(`imports: ${findings.length === 0 ? 'clean' : `${findings.length} refused`}`)
process.exitCode = findings.length === 0 ? 0 : 1
