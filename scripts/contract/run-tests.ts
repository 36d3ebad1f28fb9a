import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readResults, type RunResult } from './results.ts'

/** Runs test files (all of them where none is named) of the checkout at `root`. What vitest says goes to `stdio`. */
export async function runTests(root: string, files: readonly string[], stdio: 'inherit' | 'ignore'): Promise<RunResult> {
  const folder = mkdtempSync(join(tmpdir(), 'vedette-results-'))
  try {
    const output = join(folder, 'results.json')
    const vitest = join(root, 'node_modules/vitest/vitest.mjs')
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${output}`]
    const child = spawn(process.execPath, [vitest, 'run', '--root', root, ...reporters, ...files], { cwd: root, stdio })
    await new Promise((resolve, reject) => child.once('exit', resolve).once('error', reject))
    return readResults(root, JSON.parse(readFileSync(output, 'utf8')))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
