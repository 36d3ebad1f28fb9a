/**
 * Refuses the home-made words of words/list.ts; part of `lint`.
 *
 *   node scripts/check-words.ts            the folders of words/clean.ts
 *   node scripts/check-words.ts PATH…      these files and folders
 *   node scripts/check-words.ts --count    how many words each package holds, without refusing any
 *
 * `--root FOLDER` checks another checkout.
 */
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { checkedFiles, checkFiles } from './words/check.ts'
import { CLEAN } from './words/clean.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { count: { type: 'boolean', default: false }, root: { type: 'string', default: join(import.meta.dirname, '..') } },
})
const files = checkedFiles(values.root)

if (values.count) {
  const counts = new Map<string, number>()
  for (const path of files) counts.set(packageOf(path), 0)
  for (const { path } of checkFiles(values.root, files)) counts.set(packageOf(path), (counts.get(packageOf(path)) ?? 0) + 1)
  for (const [name, count] of counts) console.log(`${String(count).padStart(6)}  ${name}`)
  console.log(`${String([...counts.values()].reduce((sum, count) => sum + count, 0)).padStart(6)}  all`)
} else {
  const folders = positionals.length > 0 ? positionals.map((path) => path.replace(/\/$/, '')) : CLEAN
  const chosen = files.filter((path) =>
    folders.some((folder) => folder === '.' || path === folder || path.startsWith(`${folder}/`)),
  )
  const findings = checkFiles(values.root, chosen)
  for (const { path, line, word, use } of findings) console.error(`${path}:${line} "${word}": use ${use}`)
  console.log(`words: ${findings.length === 0 ? 'clean' : `${findings.length} refused`}`)
  process.exitCode = findings.length === 0 ? 0 : 1
}

/** Folder of the first level; files of the root are one group. */
function packageOf(path: string): string {
  return path.includes('/') ? path.slice(0, path.indexOf('/')) : '(root)'
}
