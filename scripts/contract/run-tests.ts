import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readResults, type RunResult } from './results.ts'

export interface Selection {
  files: readonly string[]
  /** Only tests that name one of these requirements. */
  ids: readonly string[]
}

/** Runs tests of the checkout at `root`. */
export async function runTests(root: string, { files, ids }: Selection): Promise<RunResult> {
  const folder = mkdtempSync(join(tmpdir(), 'vedette-results-'))
  try {
    const output = join(folder, 'results.json')
    const argv = [join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--root', root]
    argv.push('--reporter=json', `--outputFile.json=${output}`)
    argv.push('--testNamePattern', `\\b(?:${ids.join('|')})\\b`)
    const child = spawn(process.execPath, [...argv, ...files], { cwd: root, stdio: 'ignore' })
    await new Promise((resolve, reject) => child.once('exit', resolve).once('error', reject))
    return readResults(root, JSON.parse(readFileSync(output, 'utf8')))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
