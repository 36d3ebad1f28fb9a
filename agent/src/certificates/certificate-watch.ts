import type { AgentConfig } from '../config/config-settings.ts'
import { type Clock, settlesWithin } from '../process/clock.ts'
import { type Log, messageOf } from '../process/log.ts'
import type { CertificateFiles, CertificateReport } from './certificate-files.ts'

/** How often the files are looked at: a renewal need not be seen sooner. */
const EVERY_MS = 300_000
/** A folder may be on a file system that does not answer: the facts of the host do not wait for it. */
const WAIT_MS = 5_000

export interface CertificateWatch {
  /** The newest; undefined before the first. */
  readonly report: CertificateReport | undefined
  /** Grows with each change of the report. */
  readonly revision: number
  /** Looks at the files when that is due; resolves after it, or after 5 s. Never rejects. */
  refresh(): Promise<void>
}

interface WatchDeps {
  clock: Clock
  log: Log
  config: Pick<AgentConfig, 'certificateFiles' | 'hostRoot'>
}

/** Everything that reads files and certificates is loaded with the first look: an agent without `certificate_files` never does. */
export function createCertificateWatch({ clock, log, config }: WatchDeps): CertificateWatch {
  const { certificateFiles = [], hostRoot = '' } = config
  let files: CertificateFiles | undefined
  let report: CertificateReport | undefined
  let [text, revision, nextMs] = ['', 0, Number.NEGATIVE_INFINITY]
  let reading: Promise<void> | undefined

  async function readFiles(): Promise<void> {
    try {
      files ??= (await import('./certificate-files.ts')).createCertificateFiles(certificateFiles, hostRoot, log)
      report = await files.read()
      const newText = JSON.stringify(report)
      if (newText !== text) revision += 1
      text = newText
    } catch (error) {
      log('warn', 'cannot read the certificate files: trying again in five minutes', { reason: messageOf(error) })
    } finally {
      reading = undefined
    }
  }

  return {
    get report() {
      return report
    },
    get revision() {
      return revision
    },
    refresh: async () => {
      if (reading || clock.monotonicMs() < nextMs) return
      nextMs = clock.monotonicMs() + EVERY_MS
      reading = readFiles()
      await settlesWithin(clock, reading, WAIT_MS)
    },
  }
}
