import { constants } from 'node:fs'
import { open, realpath, stat } from 'node:fs/promises'
import type { HostCertificate, UnreadableCertificate } from '@vedette/shared'
import {
  MAX_CERTIFICATE_PATH_LENGTH,
  MAX_HOST_CERTIFICATES,
  MAX_UNREADABLE_CERTIFICATES,
  MAX_UNREADABLE_REASON_LENGTH,
} from '@vedette/shared/certificate-limits'
import { truncateText } from '@vedette/shared/outside-text'
import type { CertificatePattern } from '../config/config-settings.ts'
import { hasCode } from '../process/files.ts'
import type { Log } from '../process/log.ts'
import { findFiles } from './find-files.ts'
import { type FileCertificate, readCertificates } from './read-certificates.ts'
import { Unreadable } from './unreadable.ts'

/** A store of all public authorities has 250 kB. */
const MAX_FILE_BYTES = 1_048_576
/** Of all certificates as JSON: the facts of a host are one request. */
const MAX_REPORT_BYTES = 393_216
const MAX_PASSWORD_BYTES = 1_024

export interface CertificateReport {
  certificates: HostCertificate[]
  unreadable_certificates: UnreadableCertificate[]
}

/** What a file had when its marker was read. */
interface ReadFile {
  marker: string
  found: FileCertificate[] | Unreadable
}

export interface CertificateFiles {
  /** Reads those files whose size or time of change is another one than before; one call at a time. Never rejects. */
  read(): Promise<CertificateReport>
}

export function createCertificateFiles(patterns: readonly CertificatePattern[], root: string, log: Log): CertificateFiles {
  let known = new Map<string, ReadFile>()
  const logged = new Set<string>()
  const warnOnce = (message: string, path: string) => {
    const key = `${message} ${path}`
    if (logged.has(key)) return
    logged.add(key)
    log('warn', message, { path })
  }

  return {
    read: async () => {
      const current = new Map<string, ReadFile>()
      for (const pattern of patterns) {
        const { path, password_file: passwordFile } = pattern
        const { paths, isCut } = await findFiles(path, root)
        if (isCut) warnOnce('certificate_files matches too many files: the rest is left out', path)
        const password = passwordFile === undefined ? undefined : { path: passwordFile, marker: await markerOf(passwordFile) }
        for (const file of paths) if (!current.has(file)) current.set(file, await readOne(file, root, known.get(file), password))
      }
      known = current
      const { report, isCut } = toReport(known)
      if (isCut) warnOnce(`more than ${MAX_HOST_CERTIFICATES} certificates: the rest is left out`, patterns[0]?.path ?? '')
      return report
    },
  }
}

interface PasswordFile {
  path: string
  marker: string
}

async function readOne(
  path: string,
  root: string,
  before: ReadFile | undefined,
  password: PasswordFile | undefined,
): Promise<ReadFile> {
  let marker = ''
  try {
    const real = await realpath(root + path)
    // A link to an absolute path leads out of a host that is mounted elsewhere, to a file of the agent's own container.
    if (root !== '' && !real.startsWith(`${await realpath(root)}/`)) throw new Unreadable('its link leads out of host_root')
    marker = `${real} ${await markerOf(real)} ${password?.marker ?? ''}`
    if (before?.marker === marker) return before
    const bytes = await readBounded(real, MAX_FILE_BYTES)
    return { marker, found: await readCertificates(bytes, password && (await readPassword(password.path))) }
  } catch (error) {
    return { marker, found: error instanceof Unreadable ? error : new Unreadable(reasonOf(error)) }
  }
}

async function markerOf(path: string): Promise<string> {
  try {
    const { mtimeMs, size, ino } = await stat(path)
    return `${mtimeMs} ${size} ${ino}`
  } catch {
    // It is named when it is read.
    return 'none'
  }
}

/** Only files: a pipe would be waited for, and a device might act. */
async function readBounded(path: string, most: number): Promise<Buffer> {
  const file = await open(path, constants.O_RDONLY | (process.platform === 'win32' ? 0 : constants.O_NONBLOCK))
  try {
    const found = await file.stat()
    if (!found.isFile()) throw new Unreadable('it is not a file')
    if (found.size > most) throw new Unreadable(`it is larger than ${most / 1_024} KiB`)
    const buffer = Buffer.alloc(found.size)
    const { bytesRead } = await file.read(buffer, 0, buffer.length, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}

async function readPassword(path: string): Promise<string> {
  try {
    return (await readBounded(path, MAX_PASSWORD_BYTES)).toString('utf8').replace(/\r?\n$/, '')
  } catch (error) {
    throw new Unreadable(`password_file: ${error instanceof Unreadable ? error.message : reasonOf(error)}`)
  }
}

function reasonOf(error: unknown): string {
  if (hasCode(error, 'EACCES') || hasCode(error, 'EPERM')) return 'the agent may not read it'
  if (hasCode(error, 'ENOENT') || hasCode(error, 'ENOTDIR')) return 'it does not exist'
  if (hasCode(error, 'ELOOP')) return 'its links lead in a circle'
  return 'it cannot be read'
}

/** The files in their order, as far as the bounds go. */
function toReport(files: ReadonlyMap<string, ReadFile>): { report: CertificateReport; isCut: boolean } {
  const report: CertificateReport = { certificates: [], unreadable_certificates: [] }
  let [bytes, isCut] = [0, false]
  for (const [path, { found }] of files) {
    const shown = truncateText(path, MAX_CERTIFICATE_PATH_LENGTH)
    if (found instanceof Unreadable) {
      const reason = truncateText(found.message, MAX_UNREADABLE_REASON_LENGTH)
      if (report.unreadable_certificates.length < MAX_UNREADABLE_CERTIFICATES)
        report.unreadable_certificates.push({ path: shown, reason })
      continue
    }
    for (const one of found) {
      bytes += Buffer.byteLength(JSON.stringify(one))
      if (report.certificates.length >= MAX_HOST_CERTIFICATES || bytes > MAX_REPORT_BYTES) isCut = true
      else report.certificates.push({ path: shown, ...one })
    }
  }
  return { report, isCut }
}
