import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DAY_MS } from '@vedette/shared'

export interface IssueOptions {
  /** DNS names; none: no subjectAltName. */
  names?: readonly string[]
  fromDays?: number
  untilDays?: number
  /** Arguments of `openssl req` for the key. */
  key?: readonly string[]
  digest?: string
  isAuthority?: boolean
  isResponder?: boolean
  /** Without one it signs itself. */
  issuer?: string
}

const EC = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1']
/** `261201023000Z`, days from now. */
const timeOf = (days: number) => `${new Date(Date.now() + days * DAY_MS).toISOString().replace(/[-:T]/g, '').slice(2, 14)}Z`

/** Certificates of `openssl ca` in a folder: `NAME.pem` and `NAME.key`. */
export function createOpensslCa(folder: string) {
  const run = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' })
  const read = (file: string) => readFileSync(join(folder, file))

  function configOf(issuer: string, extensions: readonly string[]): string {
    const lines = [
      '[ca]',
      'default_ca=own',
      '[own]',
      `database=${issuer}.index`,
      'new_certs_dir=.',
      `serial=${issuer}.serial`,
      'policy=any',
      'unique_subject=no',
      'x509_extensions=extensions',
      'copy_extensions=none',
      '[any]',
      'commonName=supplied',
      '[extensions]',
      ...extensions,
      '',
    ]
    writeFileSync(join(folder, 'ca.cnf'), lines.join('\n'))
    return 'ca.cnf'
  }

  function issue(name: string, options: IssueOptions = {}): void {
    const { names = [], fromDays = -1, untilDays = 30, key = EC, digest = 'sha256', issuer = name } = options
    writeFileSync(join(folder, `${name}.index`), '')
    writeFileSync(join(folder, `${name}.index.attr`), 'unique_subject=no\n')
    writeFileSync(join(folder, `${name}.serial`), `${Math.floor(Math.random() * 1e9) + 4096}\n`.replace(/^(.(..)*)\n$/, '0$1\n'))
    run('req', ...key, '-nodes', '-subj', `/CN=${name}`, '-keyout', `${name}.key`, '-out', `${name}.csr`)
    const extensions = [
      `basicConstraints=${options.isAuthority ? 'critical,CA:TRUE' : 'CA:FALSE'}`,
      ...(options.isResponder ? ['extendedKeyUsage=OCSPSigning'] : []),
      ...(names.length > 0 ? [`subjectAltName=${names.map((one) => `DNS:${one}`).join(',')}`] : []),
    ]
    const signer =
      issuer === name ? ['-selfsign', '-keyfile', `${name}.key`] : ['-cert', `${issuer}.pem`, '-keyfile', `${issuer}.key`]
    const times = ['-startdate', timeOf(fromDays), '-enddate', timeOf(untilDays)]
    const files = ['-in', `${name}.csr`, '-out', `${name}.pem`]
    run('ca', '-batch', '-notext', '-config', configOf(issuer, extensions), '-md', digest, ...signer, ...times, ...files)
  }

  return {
    run,
    read,
    issue,
    revoke(name: string, issuer: string): void {
      const config = configOf(issuer, [])
      run(
        'ca',
        '-config',
        config,
        '-cert',
        `${issuer}.pem`,
        '-keyfile',
        `${issuer}.key`,
        '-md',
        'sha256',
        '-revoke',
        `${name}.pem`,
      )
    },
    /** What the responder of OpenSSL answers for a certificate, DER. */
    respond(name: string, issuer: string, responder = issuer, more: readonly string[] = ['-ndays', '1']): Buffer {
      const file = `${name}.ocsp`
      run('ocsp', '-issuer', `${issuer}.pem`, '-cert', `${name}.pem`, '-reqout', 'request.der')
      const signer = ['-rsigner', `${responder}.pem`, '-rkey', `${responder}.key`, '-CA', `${issuer}.pem`]
      run('ocsp', '-index', `${issuer}.index`, ...signer, '-reqin', 'request.der', '-respout', file, ...more)
      return read(file)
    },
  }
}
