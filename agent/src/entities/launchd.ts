import { execFile } from 'node:child_process'
import { matchesGlob } from 'node:path/posix'
import { toReading } from './reading.ts'
import type { EntityReading } from './source.ts'

/** A line of a job: process id (0: none), last exit status (-: none yet), label. */
const JOB = /^\s*(\d+)\s+(\S+)\s+(\S+)$/
const MAX_OUTPUT_BYTES = 4_194_304

/** What `launchctl print system` prints, which any user may run. Rejects where it fails. */
export function printLaunchdJobs(): Promise<string> {
  return new Promise((resolve, reject) =>
    execFile('/bin/launchctl', ['print', 'system'], { maxBuffer: MAX_OUTPUT_BYTES }, (error, stdout) =>
      error ? reject(error) : resolve(stdout),
    ),
  )
}

/**
 * The jobs of launchd whose labels match, and those of exact labels that are not loaded. A job that ran and ended with another status
 * than 0 has failed. Pure.
 */
export function toLaunchdUnits(printed: string, patterns: readonly string[]): EntityReading[] {
  const [, services = ''] = /\n\tservices = \{\n(.*?)\n\t\}/s.exec(printed) ?? []
  const jobs = services.split('\n').flatMap((line) => {
    const [, pid = '', status = '', label = ''] = JOB.exec(line) ?? []
    return patterns.some((pattern) => matchesGlob(label, pattern)) ? [toUnit(label, pid !== '0', Number(status))] : []
  })
  const loaded = new Set(jobs.map(({ name }) => name))
  const missing = patterns.filter((pattern) => !/[*?[]/.test(pattern) && !loaded.has(pattern))
  return [...jobs, ...missing.map((label) => toReading('unit', label, { running: 0 }, { load_state: 'not-found' }))]
}

function toUnit(label: string, isRunning: boolean, exitStatus: number): EntityReading {
  const isFailed = !isRunning && exitStatus !== 0 && Number.isFinite(exitStatus)
  const state = isRunning ? 'running' : isFailed ? 'failed' : 'stopped'
  return toReading(
    'unit',
    label,
    { running: Number(isRunning), failed: Number(isFailed) },
    { state, last_result: isFailed ? String(exitStatus) : undefined },
  )
}
