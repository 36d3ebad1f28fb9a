import { statSync } from 'node:fs'
import type { Clock } from '../../platform/time/clock.ts'
import type { Log } from '../../platform/logging/log.ts'
import { verifyMailServer } from '../../platform/smtp.ts'
import type { Settings } from '../settings/index.ts'
import { examineBackups } from './backups.ts'
import { examineDatabase } from './database.ts'
import { fault, type Finding, ok, reasonOf } from './finding.ts'
import { examineFolder } from './host.ts'
import { examineLocalAgent } from './local-agent.ts'
import { examineCertificate, examinePort, examinePublicUrl } from './network.ts'

export type { Finding } from './finding.ts'

export interface DoctorDeps {
  settings: Settings
  clock: Clock
  log: Log
  /** Folder of the backups; undefined where none is known. */
  backupFolder: string | undefined
}

const MAIL_LIMIT_MS = 10_000

/**
 * Examines an installation, running or not, and changes nothing. The database comes last: for an embedded one that does not run,
 * root becomes the user of the data folder and could not see the rest any more.
 */
export async function examineInstallation({ settings, clock, log, backupFolder }: DoctorDeps): Promise<Finding[]> {
  const owner = statSync(settings.dataDir, { throwIfNoEntry: false })?.uid
  return [
    ...examineFolder(settings),
    ...(await examinePort(settings, owner)),
    ...examineCertificate(settings, clock.now()),
    ...(await examinePublicUrl(settings, clock)),
    examineBackups(backupFolder, clock.now()),
    await examineMail(settings),
    ...examineLocalAgent(settings),
    ...(await examineDatabase({ settings, clock, log })),
  ]
}

async function examineMail({ smtpUrl }: Settings): Promise<Finding> {
  if (smtpUrl === undefined)
    return ok('mail server', 'none (VEDETTE_SMTP_URL): links are shown to who invites, and none is mailed')
  try {
    await verifyMailServer(smtpUrl, MAIL_LIMIT_MS)
    return ok('mail server', 'accepts the connection and the login')
  } catch (error) {
    return fault('mail server', reasonOf(error), 'Correct VEDETTE_SMTP_URL, or the server; no mail is lost meanwhile')
  }
}
