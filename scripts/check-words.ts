/**
 * Refuses the home-made words of words/list.ts; part of `lint`.
 *
 *   node scripts/check-words.ts            the whole repository
 *   node scripts/check-words.ts PATH…      these files and folders
 *
 * `--root FOLDER` checks another checkout.
 */
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { checkedFiles, checkFiles } from './words/check.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { root: { type: 'string', default: join(import.meta.dirname, '..') } },
})
const folders = positionals.map((path) => path.replace(/\/$/, ''))
const chosen = checkedFiles(values.root).filter(
  (path) => folders.length === 0 || folders.some((folder) => path === folder || path.startsWith(`${folder}/`)),
)
const findings = checkFiles(values.root, chosen)
for (const { path, line, word, use } of findings) console.error(`${path}:${line} "${word}": use ${use}`)
console.log(`words: ${findings.length === 0 ? 'clean' : `${findings.length} refused`}`)
process.exitCode = findings.length === 0 ? 0 : 1
