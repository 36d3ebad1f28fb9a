import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'

export interface Problem {
  rule: string
  /** Its location in the API description. */
  location: string
  message: string
}

/** Lints an API description in a JSON file and returns all problems, hints included. */
export type Linter = (file: string) => Promise<Problem[]>

const here = (path: string): string => fileURLToPath(new URL(`../${path}`, import.meta.url))

interface RedoclyReport {
  problems: { ruleId: string; message: string; location: { pointer?: string }[] }[]
}

export const redocly: Linter = async (file) => {
  const args = ['lint', `--config=${here('redocly.yaml')}`, '--format=json', '--max-problems=1000', file]
  const report = (await run('node_modules/@redocly/cli/bin/cli.js', args)) as RedoclyReport
  return report.problems.map(({ ruleId, message, location }) => ({ rule: ruleId, location: location[0]?.pointer ?? '', message }))
}

type SpectralReport = { code: string; message: string; path: (string | number)[] }[]

export const spectral: Linter = async (file) => {
  const args = ['lint', `--ruleset=${here('.spectral.yaml')}`, '--format=json', '--quiet', '--display-only-failures=false', file]
  const report = (await run('node_modules/@stoplight/spectral-cli/dist/index.js', args)) as SpectralReport
  return report.map(({ code, message, path }) => ({ rule: code, location: path.join('.'), message }))
}

/**
 * Runs a program of this package on the current Node and parses its output. It may only read files: `--permission` denies it the
 * network, so that it sends no telemetry and loads nothing, whatever its settings.
 */
function run(program: string, args: string[]): Promise<unknown> {
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }
  const all = ['--permission', '--allow-fs-read=*', '--no-warnings', here(program), ...args]
  return new Promise((resolve, reject) => {
    execFile(process.execPath, all, { env, maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) => {
      try {
        // Both exit with 1 when they find problems, so only the report counts.
        resolve(JSON.parse(stdout))
      } catch {
        reject(new Error(`${program} gave no report: ${stderr || stdout || error?.message}`))
      }
    })
  })
}
