import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'

export interface Problem {
  rule: string
  /** Where it is in the description. */
  place: string
  message: string
}

/** A linter of API descriptions: reads a file of JSON, and tells everything that it would say of it, hints included. */
export type Linter = (file: string) => Promise<Problem[]>

const here = (path: string): string => fileURLToPath(new URL(`../${path}`, import.meta.url))

interface RedoclyReport {
  problems: { ruleId: string; message: string; location: { pointer?: string }[] }[]
}

export const redocly: Linter = async (file) => {
  const args = ['lint', `--config=${here('redocly.yaml')}`, '--format=json', '--max-problems=1000', file]
  const report = (await run('node_modules/@redocly/cli/bin/cli.js', args)) as RedoclyReport
  return report.problems.map(({ ruleId, message, location }) => ({ rule: ruleId, place: location[0]?.pointer ?? '', message }))
}

type SpectralReport = { code: string; message: string; path: (string | number)[] }[]

export const spectral: Linter = async (file) => {
  const args = ['lint', `--ruleset=${here('.spectral.yaml')}`, '--format=json', '--quiet', '--display-only-failures=false', file]
  const report = (await run('node_modules/@stoplight/spectral-cli/dist/index.js', args)) as SpectralReport
  return report.map(({ code, message, path }) => ({ rule: code, place: path.join('.'), message }))
}

/**
 * Runs a program of this package on the Node that runs this, and parses what it prints. It may read files and nothing else: with
 * `--permission` Node refuses it the network, so that nothing is reported home or looked up whatever its settings are.
 */
function run(program: string, args: string[]): Promise<unknown> {
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }
  const all = ['--permission', '--allow-fs-read=*', '--no-warnings', here(program), ...args]
  return new Promise((resolve, reject) => {
    execFile(process.execPath, all, { env, maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) => {
      try {
        // Both end with 1 where they found something: what counts is the report.
        resolve(JSON.parse(stdout))
      } catch {
        reject(new Error(`${program} gave no report: ${stderr || stdout || error?.message}`))
      }
    })
  })
}
